import java.util.Arrays;
import org.apache.spark.sql.*;
import org.apache.spark.sql.streaming.*;
import scala.Tuple2;
import scala.Tuple4;
import scala.collection.Iterator;

/**
 * The jobs of benchmarks/backlog.py on stock Spark by transformWithState.
 *
 * <p>A method has the name of its job. It takes a stream of Kafka's source, and returns one of the
 * columns key and value.
 */
public class StatefulJobs {
  private static final Encoder<String> TEXT = Encoders.STRING();
  private static final Encoder<Tuple2<String, String>> RESULT = Encoders.tuple(TEXT, TEXT);

  private StatefulJobs() {}

  /** Returns the highest level of a device when it has changed. */
  public static Dataset<Row> change(Dataset<Row> events) {
    return events.selectExpr("string(key) AS key", "bigint(string(value)) AS level")
        .groupBy("key").as(TEXT, Encoders.tuple(TEXT, Encoders.LONG()))
        .transformWithState(new HighestLevel(), TimeMode.None(), OutputMode.Update(), RESULT)
        .toDF("key", "value");
  }

  /** Returns count, sum and last item of each of three topics for a customer. */
  public static Dataset<Row> cogroup(Dataset<Row> events) {
    return events.selectExpr("string(key) AS key",
        "find_in_set(topic, 'cart,purchases,wishes') - 1 AS topic", "offset",
        "string(value) AS value")
        .groupBy("key").as(TEXT, Encoders.tuple(TEXT, Encoders.INT(), Encoders.LONG(), TEXT))
        .transformWithState(new CustomerTotals(), TimeMode.None(), OutputMode.Update(), RESULT)
        .toDF("key", "value");
  }

  private static final class HighestLevel
      extends StatefulProcessor<String, Tuple2<String, Long>, Tuple2<String, String>> {
    private transient ValueState<Long> highest;

    @Override
    public void init(OutputMode mode, TimeMode time) {
      highest = getHandle().getValueState("highest", Encoders.LONG(), TTLConfig.NONE());
    }

    @Override
    public Iterator<Tuple2<String, String>> handleInputRows(
        String key, Iterator<Tuple2<String, Long>> rows, TimerValues timers) {
      long level = Long.MIN_VALUE;
      while (rows.hasNext()) level = Math.max(level, rows.next()._2());
      Long before = highest.get();
      if (before != null && before >= level) return Iterator.empty();
      highest.update(level);
      return Iterator.single(new Tuple2<>(key, Long.toString(level)));
    }
  }

  private static final class CustomerTotals
      extends StatefulProcessor<
          String, Tuple4<String, Integer, Long, String>, Tuple2<String, String>> {
    private transient ValueState<byte[]> totals;

    @Override
    public void init(OutputMode mode, TimeMode time) {
      totals = getHandle().getValueState("totals", Encoders.BINARY(), TTLConfig.NONE());
    }

    /** Compares offsets, since rows come in any order within a micro-batch. */
    @Override
    public Iterator<Tuple2<String, String>> handleInputRows(
        String key, Iterator<Tuple4<String, Integer, Long, String>> rows, TimerValues timers) {
      byte[] before = totals.get();
      byte[] row = before == null ? Totals.none() : before;
      long[] newest = new long[3];
      Arrays.fill(newest, -1);
      while (rows.hasNext()) {
        Tuple4<String, Integer, Long, String> event = rows.next();
        int topic = event._2();
        long offset = event._3();
        Totals.add(row, topic, event._4(), offset > newest[topic]);
        newest[topic] = Math.max(newest[topic], offset);
      }
      totals.update(row);
      return Iterator.single(new Tuple2<>(key, Totals.shown(row)));
    }
  }
}
