import java.util.*;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.*;

/**
 * The jobs of benchmarks/real_time.py on Kafka Streams, until the process is killed.
 *
 * <p>Arguments: servers, the job (lookup, cogroup or change), a folder for the state, the topic of
 * the results, the topics that are read, of which that of a dimension is the last. Each record is
 * forwarded at once: there is no cache of records.
 */
public class StreamsJobs {
  private static final Consumed<String, String> READ = Consumed.with(Serdes.String(), Serdes.String());
  private static final Produced<String, String> WRITE =
      Produced.with(Serdes.String(), Serdes.String());

  public static void main(String[] words) {
    List<String> inputs = List.of(words).subList(4, words.length);
    StreamsBuilder builder = new StreamsBuilder();
    switch (words[1]) {
      case "lookup" -> lookup(builder, inputs.get(0), inputs.get(1)).to(words[3], WRITE);
      case "cogroup" -> cogroup(builder, inputs).to(words[3], WRITE);
      case "change" -> change(builder, inputs.get(0)).to(words[3], WRITE);
      default -> throw new IllegalArgumentException(words[1]);
    }
    Properties settings = new Properties();
    settings.put("bootstrap.servers", words[0]);
    settings.put("application.id", words[3]);
    settings.put("state.dir", words[2]);
    settings.put("num.stream.threads", "2");
    settings.put("statestore.cache.max.bytes", "0");
    settings.put("producer.linger.ms", "0");
    settings.put("auto.offset.reset", "earliest");
    new KafkaStreams(builder.build(), settings).start();
  }

  /** Joins each record with the row of its key in a global table. */
  private static KStream<String, String> lookup(StreamsBuilder builder, String events, String rows) {
    return builder.stream(events, READ).join(
        builder.globalTable(rows, READ), (key, value) -> key, (value, row) -> row + "," + value);
  }

  /** Counts the records of each topic for a key; the last part is the newest record's time. */
  private static KStream<String, String> cogroup(StreamsBuilder builder, List<String> topics) {
    CogroupedKStream<String, String> group = null;
    for (int i = 0; i < topics.size(); i++) {
      int position = i;
      KGroupedStream<String, String> records = builder.stream(topics.get(i), READ).groupByKey();
      Aggregator<String, String, String> add = (key, value, row) -> added(row, position, value);
      group = group == null ? records.cogroup(add) : group.cogroup(records, add);
    }
    return group.aggregate(() -> "0,0,0,0",
        Materialized.with(Serdes.String(), Serdes.String())).toStream();
  }

  private static String added(String row, int position, String value) {
    String[] parts = row.split(",");
    parts[position] = "" + (Long.parseLong(parts[position]) + 1);
    parts[3] = "" + Math.max(Long.parseLong(parts[3]), time(value));
    return String.join(",", parts);
  }

  /** Forwards a record if its level is higher than all that its key had. */
  private static KStream<String, String> change(StreamsBuilder builder, String events) {
    builder.addStateStore(Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore(LevelChanges.STORE), Serdes.String(), Serdes.Long()));
    return builder.stream(events, READ).process(
        () -> new LevelChanges(value -> Long.parseLong(value.substring(0, value.indexOf(',')))),
        LevelChanges.STORE);
  }

  private static long time(String value) {
    return Long.parseLong(value.substring(value.indexOf(',') + 1));
  }
}
