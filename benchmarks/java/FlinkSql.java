import java.nio.file.*;
import org.apache.flink.table.api.*;

/**
 * Runs statements of Flink SQL from a file, which a blank line parts, in this process.
 *
 * <p>The last one is an INSERT over bounded sources. It prints `begin` and `end` around it, and ends
 * when its input does.
 */
public class FlinkSql {
  public static void main(String[] words) throws Exception {
    TableEnvironment tables = TableEnvironment.create(EnvironmentSettings.inStreamingMode());
    String[] statements = Files.readString(Path.of(words[0])).strip().split("\n\n");
    for (int i = 0; i < statements.length - 1; i++) {
      String statement = statements[i];
      if (statement.startsWith("SET ")) {
        String[] parts = statement.substring(4).split(" = ", 2);
        tables.getConfig().set(parts[0], parts[1]);
      } else {
        tables.executeSql(statement);
      }
    }
    System.out.println("begin");
    tables.executeSql(statements[statements.length - 1]).await();
    System.out.println("end");
    System.in.read();
  }
}
