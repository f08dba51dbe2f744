import java.time.Duration;
import java.util.*;
import java.util.concurrent.atomic.LongAdder;
import org.apache.kafka.common.serialization.*;
import org.apache.kafka.streams.*;
import org.apache.kafka.streams.kstream.*;
import org.apache.kafka.streams.state.*;

/**
 * The jobs of benchmarks/backlog.py on Kafka Streams.
 *
 * <p>Arguments are words `name=value`: job, events (of a topic), results (a topic), dimensions (a
 * prefix of topics), store (memory or rocksdb), and settings of Kafka Streams. It prints `begin` and
 * `end` around the work, and ends when its input does.
 */
public class BacklogStreams {
  private static final Consumed<String, String> READ = Consumed.with(Serdes.String(), Serdes.String());
  private static final Produced<String, String> WRITE =
      Produced.with(Serdes.String(), Serdes.String());
  private static final List<String> OURS = List.of("job", "events", "results", "dimensions", "store");

  private final StreamsBuilder builder = new StreamsBuilder();
  private final LongAdder seen = new LongAdder();
  private final Map<String, String> words;

  private BacklogStreams(Map<String, String> words) {
    this.words = words;
  }

  public static void main(String[] arguments) throws Exception {
    new BacklogStreams(Words.of(arguments)).run();
  }

  private void run() throws Exception {
    String job = words.get("job");
    KStream<String, String> results = switch (job) {
      case "cogroup" -> cogroup();
      case "star" -> star();
      case "change" -> words.get("store").equals("by hand") ? changeByHand() : change();
      default -> throw new IllegalArgumentException(job);
    };
    results.to(words.get("results"), WRITE);
    Properties settings = new Properties();
    words.forEach((name, value) -> {
      if (!OURS.contains(name)) settings.put(name, value);
    });
    long events = Long.parseLong(words.get("events")) * (job.equals("cogroup") ? 3 : 1);
    try (KafkaStreams streams = new KafkaStreams(builder.build(), settings)) {
      boolean loads = job.equals("star"); // start returns when the global tables are loaded
      if (!loads) System.out.println("begin");
      streams.start();
      if (loads) System.out.println("begin");
      while (seen.sum() < events) {
        if (streams.state() == KafkaStreams.State.ERROR) throw new IllegalStateException("failed");
        Thread.sleep(5);
      }
      streams.close(Duration.ofSeconds(300));
      System.out.println("end");
      System.in.read();
    }
  }

  private KStream<String, String> read(String topic) {
    return builder.stream(topic, READ).peek((key, value) -> seen.increment());
  }

  private KStream<String, String> cogroup() {
    CogroupedKStream<String, byte[]> group = null;
    List<String> topics = List.of("cart", "purchases", "wishes");
    for (int i = 0; i < topics.size(); i++) {
      int topic = i;
      KGroupedStream<String, String> records = read(topics.get(i)).groupByKey();
      Aggregator<String, String, byte[]> add = (key, value, row) -> added(row, topic, value);
      group = group == null ? records.cogroup(add) : group.cogroup(records, add);
    }
    return group.aggregate(Totals::none, Materialized.with(Serdes.String(), Serdes.ByteArray()))
        .toStream().mapValues(Totals::shown);
  }

  private static byte[] added(byte[] row, int topic, String value) {
    byte[] changed = row.clone();
    Totals.add(changed, topic, value, true);
    return changed;
  }

  private KStream<String, String> star() {
    return read("purchases").mapValues(Purchase::new)
        .leftJoin(global("customers"), (key, row) -> key, Purchase::with)
        .leftJoin(global("items"), (key, row) -> row.item, Purchase::with)
        .leftJoin(global("stores"), (key, row) -> row.store, Purchase::with)
        .leftJoin(global("promotions"), (key, row) -> row.promotion, Purchase::with)
        .mapValues(row -> row.text.toString());
  }

  private GlobalKTable<String, String> global(String name) {
    String topic = words.get("dimensions") + name;
    return words.get("store").equals("memory")
        ? builder.globalTable(topic, READ, Materialized.as(Stores.inMemoryKeyValueStore(name)))
        : builder.globalTable(topic, READ);
  }

  private KStream<String, String> change() {
    return read("levels").groupByKey()
        .aggregate(() -> Long.MIN_VALUE, (key, value, level) -> Math.max(level, Long.parseLong(value)),
            Materialized.with(Serdes.String(), Serdes.Long()))
        .toStream().mapValues(level -> Long.toString(level));
  }

  /** The same by the Processor API, which writes and forwards only what has changed. */
  private KStream<String, String> changeByHand() {
    builder.addStateStore(Stores.keyValueStoreBuilder(
        Stores.persistentKeyValueStore(LevelChanges.STORE), Serdes.String(), Serdes.Long())
        .withCachingEnabled());
    return read("levels").process(() -> new LevelChanges(Long::parseLong), LevelChanges.STORE);
  }

  /** A purchase, which is split once and then looked up four times. */
  private static final class Purchase {
    private final String item;
    private final String store;
    private final String promotion;
    private final StringBuilder text;

    Purchase(String value) {
      int a = value.indexOf(',');
      int b = value.indexOf(',', a + 1);
      int c = value.indexOf(',', b + 1);
      item = value.substring(0, a);
      store = value.substring(b + 1, c);
      promotion = value.substring(c + 1);
      text = new StringBuilder(160).append(value);
    }

    Purchase with(String row) {
      text.append('|').append(row == null ? "-" : row);
      return this;
    }
  }
}
