import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.spark.QueryContext;
import org.apache.spark.SparkThrowable;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;

/**
 * A Java program for spark-submit, which runs each of its arguments as a statement.
 *
 * <p>It prints one line of JSON for each: an array of rows, or an array with the condition, the
 * SQLSTATE, the fragment and the offset of an error.
 */
public final class Statements {

  private Statements() {}

  public static void main(String[] statements) {
    SparkSession spark = SparkSession.builder().getOrCreate();
    for (String sql : statements) {
      System.out.println(answer(spark, sql));
    }
    spark.stop();
  }

  private static String answer(SparkSession spark, String sql) {
    try {
      Dataset<Row> frame = spark.sql(sql);
      List<Row> rows = frame.isStreaming() ? streamed(frame) : frame.collectAsList();
      return rows.stream().map(Row::json).collect(Collectors.joining(",", "[", "]"));
    } catch (Exception error) {
      SparkThrowable refused = (SparkThrowable) error;
      QueryContext place = refused.getQueryContext()[0];
      return String.format(
          "[\"%s\",\"%s\",\"%s\",%d]",
          refused.getCondition(), refused.getSqlState(), place.fragment(), place.startIndex());
    }
  }

  /** Returns the rows of all micro-batches over the rows that are there now. */
  private static List<Row> streamed(Dataset<Row> frame) throws Exception {
    List<Row> rows = Collections.synchronizedList(new ArrayList<>());
    VoidFunction2<Dataset<Row>, Long> keep =
        (batch, id) -> rows.addAll(Arrays.asList((Row[]) batch.collect()));
    frame.writeStream().trigger(Trigger.AvailableNow()).foreachBatch(keep).start().awaitTermination();
    return rows;
  }
}
