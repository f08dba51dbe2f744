import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;

/**
 * A client of plain JDBC: {@code java -cp <jars> Jdbc.java URL ACTION WORD...}.
 *
 * <p>It prints one line of JSON for each answer: an array of rows, each an array of values, or an
 * object with the message, the SQLSTATE and the class of the exception.
 */
public final class Jdbc {

  private final String url;

  private Jdbc(String url) {
    this.url = url;
  }

  public static void main(String[] given) throws Exception {
    Jdbc client = new Jdbc(given[0]);
    List<String> words = Arrays.asList(given).subList(2, given.length);
    switch (given[1]) {
      case "run" -> client.run(words);
      case "each" -> client.each(words);
      case "prepare" -> client.prepare(words.get(0), words.subList(1, words.size()));
      case "batch" -> client.batch(words);
      case "describe" -> client.describe(words.get(0));
      case "fetch" -> client.fetch(Integer.parseInt(words.get(0)), words.get(1));
      case "timeout" -> client.timeout(Integer.parseInt(words.get(0)), words.get(1), words.get(2));
      case "cancel" -> client.cancel(words.get(0), words.get(1), words.get(2));
      case "outlive" -> client.outlive(words.get(0));
      case "crowd" -> client.crowd(number(words, 0), number(words, 1), words.get(2));
      default -> throw new IllegalArgumentException(given[1]);
    }
  }

  /** Runs the statements one after the other on one connection. */
  private void run(List<String> statements) throws SQLException {
    try (Connection connection = open()) {
      for (String sql : statements) {
        print(answer(connection, sql));
      }
    }
  }

  /** Runs each statement on a connection of its own, which is closed before the next is opened. */
  private void each(List<String> statements) throws SQLException {
    for (String sql : statements) {
      run(List.of(sql));
    }
  }

  /** Runs a prepared statement, once for each list of values, such as {@code 1|ink}. */
  private void prepare(String sql, List<String> executions) throws SQLException {
    try (Connection connection = open();
        PreparedStatement prepared = connection.prepareStatement(sql)) {
      for (String values : executions) {
        String[] parameters = values.split("\\|");
        for (int i = 0; i < parameters.length; i++) {
          if (parameters[i].matches("\\d+")) {
            prepared.setInt(i + 1, Integer.parseInt(parameters[i]));
          } else {
            prepared.setString(i + 1, parameters[i]);
          }
        }
        try (ResultSet found = prepared.executeQuery()) {
          print(rows(found));
        }
      }
    }
  }

  private void batch(List<String> statements) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      print(connection.getMetaData().supportsBatchUpdates());
      try {
        for (String sql : statements) {
          statement.addBatch(sql);
        }
        print(statement.executeBatch().length);
      } catch (SQLException refused) {
        print(refused);
      }
      try {
        print(statement.executeBatch().length);
      } catch (SQLException refused) {
        print(refused);
      }
    }
  }

  /** Prints what the metadata say of the relations with this name, and of their columns. */
  private void describe(String name) throws SQLException {
    try (Connection connection = open()) {
      List<List<Object>> tables = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getTables(null, "default", name, null)) {
        while (found.next()) {
          tables.add(List.of(found.getString("TABLE_NAME"), found.getString("TABLE_TYPE")));
        }
      }
      print(tables);
      List<List<Object>> columns = new ArrayList<>();
      try (ResultSet found = connection.getMetaData().getColumns(null, "default", name, "%")) {
        while (found.next()) {
          columns.add(List.of(found.getString("COLUMN_NAME"), found.getString("TYPE_NAME")));
        }
      }
      print(columns);
    }
  }

  private void fetch(int size, String sql) throws SQLException {
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      statement.setFetchSize(size);
      try (ResultSet found = statement.executeQuery(sql)) {
        print(rows(found));
      }
    }
  }

  /** Runs a statement that may take so many seconds, then another one. */
  private void timeout(int seconds, String sql, String next) throws SQLException {
    try (Connection connection = open()) {
      try (Statement statement = connection.createStatement()) {
        statement.setQueryTimeout(seconds);
        statement.execute(sql);
        print("it has ended");
      } catch (SQLException refused) {
        print(refused);
      }
      print(answer(connection, next));
    }
  }

  /**
   * Runs a statement in another thread and cancels it when it is running.
   *
   * @param sql the statement
   * @param running a query whose value is "running" as soon as the statement has read a row
   * @param next a statement that is run afterwards on the connection of the cancelled one
   */
  private void cancel(String sql, String running, String next) throws Exception {
    ExecutorService thread = Executors.newSingleThreadExecutor();
    try (Connection connection = open();
        Statement statement = connection.createStatement()) {
      Future<Object> execution = thread.submit(() -> statement.execute(sql));
      try (Connection observer = open()) {
        while (!execution.isDone() && !answer(observer, running).equals(List.of(row("running")))) {
          Thread.sleep(50);
        }
      }
      statement.cancel();
      try {
        print("it has ended with " + execution.get());
      } catch (ExecutionException refused) {
        print(refused.getCause());
      }
      print(answer(connection, next));
    } finally {
      thread.shutdown();
    }
  }

  /** Runs a statement on a connection until the server ends, and once when it is back. */
  private void outlive(String sql) throws Exception {
    Connection lost = open();
    Object before = answer(lost, sql);
    Object now = before;
    print(before);
    while (!(now instanceof SQLException)) {
      Thread.sleep(50);
      now = answer(lost, sql);
    }
    print(now);
    Object after = now;
    while (after instanceof SQLException) {
      Thread.sleep(50);
      try (Connection again = open()) {
        after = answer(again, sql);
      } catch (SQLException refused) {
        after = refused;
      }
    }
    print(after);
  }

  /** Runs {@code sql} on many connections at once, with other numbers in it each time. */
  private void crowd(int clients, int rounds, String sql) throws Exception {
    CyclicBarrier together = new CyclicBarrier(clients);
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    List<Callable<List<Object>>> tasks = new ArrayList<>();
    for (int client = 1; client <= clients; client++) {
      String own = sql.replace("{client}", Integer.toString(client));
      tasks.add(
          () -> {
            List<Object> answers = new ArrayList<>();
            try (Connection connection = open()) {
              together.await();
              for (int round = 1; round <= rounds; round++) {
                answers.add(answer(connection, own.replace("{round}", Integer.toString(round))));
              }
            }
            return answers;
          });
    }
    try {
      for (Future<List<Object>> answers : threads.invokeAll(tasks)) {
        print(answers.get());
      }
    } finally {
      threads.shutdown();
    }
  }

  private Connection open() throws SQLException {
    return DriverManager.getConnection(url, "interop", "");
  }

  /** Returns the rows of a statement, an empty list without a result, or its exception. */
  private static Object answer(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      return statement.execute(sql) ? rows(statement.getResultSet()) : List.of();
    } catch (SQLException refused) {
      return refused;
    }
  }

  private static List<List<Object>> rows(ResultSet found) throws SQLException {
    ResultSetMetaData columns = found.getMetaData();
    List<List<Object>> rows = new ArrayList<>();
    while (found.next()) {
      List<Object> row = new ArrayList<>();
      for (int i = 1; i <= columns.getColumnCount(); i++) {
        row.add(found.getObject(i));
      }
      rows.add(row);
    }
    return rows;
  }

  private static List<Object> row(Object... values) {
    return Arrays.asList(values);
  }

  private static int number(List<String> words, int index) {
    return Integer.parseInt(words.get(index));
  }

  private static void print(Object answer) {
    System.out.println(json(answer));
  }

  private static String json(Object value) {
    if (value == null || value instanceof Number || value instanceof Boolean) {
      return String.valueOf(value);
    }
    if (value instanceof List<?> list) {
      return list.stream().map(Jdbc::json).collect(Collectors.joining(",", "[", "]"));
    }
    if (value instanceof SQLException refused) {
      return String.format(
          "{\"message\":%s,\"state\":%s,\"type\":%s}",
          json(refused.getMessage()),
          json(refused.getSQLState()),
          json(refused.getClass().getSimpleName()));
    }
    StringBuilder text = new StringBuilder("\"");
    for (char letter : value.toString().toCharArray()) {
      if (letter < ' ' || letter > '~' || letter == '"' || letter == '\\') {
        text.append(String.format("\\u%04x", (int) letter));
      } else {
        text.append(letter);
      }
    }
    return text.append('"').toString();
  }
}
