import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.*;
import java.util.stream.*;
import org.apache.kafka.clients.admin.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/**
 * The topics of benchmarks/backlog.py.
 *
 * <p>Arguments: servers, partitions of a topic, and what to do:
 *
 * <ul>
 *   <li>events n keys: creates the topics of events, each with n records.
 *   <li>dimensions prefix keys: creates those of the four dimensions.
 *   <li>touch prefix keys: sends their rows again, 1,000 a second, until it is killed.
 *   <li>create topic: creates a topic without records.
 *   <li>read topic: prints what it holds, as JSON.
 *   <li>drop prefix: deletes the topics whose names begin so.
 * </ul>
 */
public class BacklogTopics {
  private static final List<String> EVENTS = List.of("cart", "purchases", "wishes");
  private static final int ITEMS = 10_000;
  private static final int STORES = 1_000;
  private static final int PROMOTIONS = 10_000;
  private static final int DELETED = 100; // keys of each dimension that events have and it has not
  private static final int TOUCHES = 1_000; // a second

  private final String servers;
  private final int partitions;

  private BacklogTopics(String servers, int partitions) {
    this.servers = servers;
    this.partitions = partitions;
  }

  public static void main(String[] words) throws Exception {
    BacklogTopics topics = new BacklogTopics(words[0], Integer.parseInt(words[1]));
    String name = words[3];
    switch (words[2]) {
      case "events" -> topics.sendEvents(Long.parseLong(name), Integer.parseInt(words[4]));
      case "dimensions" -> topics.sendDimensions(name, Integer.parseInt(words[4]));
      case "touch" -> topics.touch(name, Integer.parseInt(words[4]));
      case "create" -> topics.create(name);
      case "read" -> System.out.println(topics.read(name));
      case "drop" -> topics.drop(name);
      default -> throw new IllegalArgumentException(words[2]);
    }
  }

  /** Sends carts, purchases and wishes `item,amount,store,promotion`, and levels of devices. */
  private void sendEvents(long count, int keys) throws Exception {
    create(Stream.concat(EVENTS.stream(), Stream.of("levels")).toArray(String[]::new));
    try (Sender sender = new Sender()) {
      for (long i = 0; i < count; i++) {
        SplittableRandom random = new SplittableRandom(i);
        for (String topic : EVENTS) {
          String key = "c" + random.nextInt(keys);
          String value = random.nextInt(ITEMS + DELETED) + "," + (random.nextInt(100) + 1) + ","
              + random.nextInt(STORES) + "," + random.nextInt(PROMOTIONS);
          sender.send(topic, key, value, null);
        }
        // 9 of 10 levels raise no maximum, the tenth is above all that came before
        String level = random.nextInt(10) == 0 ? Long.toString(i + 1) : "0";
        sender.send("levels", "d" + random.nextInt(keys), level, null);
      }
    }
  }

  /** Sends each row; some have been replaced and some deleted, as in a topic that is not compacted. */
  private void sendDimensions(String prefix, int keys) throws Exception {
    Map<String, Integer> sizes = dimensions(keys);
    create(sizes.keySet().stream().map(name -> prefix + name).toArray(String[]::new));
    try (Sender sender = new Sender()) {
      sizes.forEach((name, size) -> {
        for (int i = 0; i < size + DELETED; i++) {
          if (i % 10 == 0 || i >= size) sender.send(prefix + name, key(name, i), "old", 0L);
          sender.send(prefix + name, key(name, i), i < size ? row(name, i) : null, 1L);
        }
      });
    }
  }

  /** Sends rows that equal those that are there, so that results do not depend on the time. */
  private void touch(String prefix, int keys) throws Exception {
    SplittableRandom random = new SplittableRandom();
    List<Map.Entry<String, Integer>> sizes = List.copyOf(dimensions(keys).entrySet());
    try (Sender sender = new Sender()) {
      while (true) {
        for (int i = 0; i < TOUCHES / 10; i++) {
          Map.Entry<String, Integer> any = sizes.get(random.nextInt(sizes.size()));
          int number = random.nextInt(any.getValue());
          String name = any.getKey();
          sender.send(prefix + name, key(name, number), row(name, number), null);
        }
        Thread.sleep(100);
      }
    }
  }

  private static Map<String, Integer> dimensions(int keys) {
    return new TreeMap<>(Map.of(
        "customers", keys, "items", ITEMS, "stores", STORES, "promotions", PROMOTIONS));
  }

  private static String key(String dimension, int number) {
    return (dimension.equals("customers") ? "c" : "") + number;
  }

  private static String row(String dimension, int number) {
    return dimension + " " + number + " of group " + number % 20;
  }

  private void create(String... names) throws Exception {
    Map<String, String> kept = Map.of("retention.ms", "-1", "retention.bytes", "-1");
    try (Admin admin = Admin.create(settings())) {
      admin.createTopics(Arrays.stream(names)
          .map(name -> new NewTopic(name, partitions, (short) 1).configs(kept)).toList()).all().get();
    }
  }

  private void drop(String prefix) throws Exception {
    try (Admin admin = Admin.create(settings())) {
      admin.deleteTopics(admin.listTopics().names().get().stream()
          .filter(name -> name.startsWith(prefix)).toList()).all().get();
    }
  }

  /**
   * Counts the records and keys of a topic and adds up hashes: of the newest record of each key, and
   * of all records, so that two topics are equal without regard to the order of their keys.
   */
  private String read(String topic) {
    Properties settings = settings();
    settings.put("isolation.level", "read_committed");
    Map<String, String> newest = new HashMap<>();
    long records = 0;
    long all = 0;
    try (Consumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> parts = IntStream.range(0, partitions)
          .mapToObj(i -> new TopicPartition(topic, i)).toList();
      consumer.assign(parts);
      consumer.seekToBeginning(parts);
      Map<TopicPartition, Long> ends = consumer.endOffsets(parts);
      while (parts.stream().anyMatch(part -> consumer.position(part) < ends.get(part))) {
        for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
          records++;
          all += hash(record.key(), record.value());
          newest.put(record.key(), record.value());
        }
      }
    }
    long last = newest.entrySet().stream().mapToLong(e -> hash(e.getKey(), e.getValue())).sum();
    return String.format("{\"records\":%d,\"keys\":%d,\"newest\":\"%x\",\"all\":\"%x\"}",
        records, newest.size(), last, all);
  }

  private static long hash(String key, String value) {
    return new SplittableRandom((long) key.hashCode() << 32 ^ value.hashCode()).nextLong();
  }

  private Properties settings() {
    Properties settings = new Properties();
    settings.put("bootstrap.servers", servers);
    settings.put("linger.ms", "20");
    settings.put("batch.size", "131072");
    return settings;
  }

  /** Sends records to the partition of Spark's hash of the key, which a claim of ASSUME needs. */
  private final class Sender implements AutoCloseable {
    private final Producer<String, String> producer =
        new KafkaProducer<>(settings(), new StringSerializer(), new StringSerializer());
    private volatile Exception failure;

    void send(String topic, String key, String value, Long time) {
      int partition = Math.floorMod(sparkHash(key.getBytes(StandardCharsets.UTF_8)), partitions);
      producer.send(new ProducerRecord<>(topic, partition, time, key, value),
          (metadata, failed) -> failure = failed == null ? failure : failed);
    }

    @Override
    public void close() throws Exception {
      producer.close();
      if (failure != null) throw failure;
    }
  }

  /** Returns Spark's hash of a STRING: Murmur3 with the seed 42, the last bytes one by one. */
  private static int sparkHash(byte[] bytes) {
    int hash = 42;
    int whole = bytes.length & ~3;
    for (int i = 0; i < whole; i += 4) {
      hash = mixed(hash, (bytes[i] & 255) | (bytes[i + 1] & 255) << 8 | (bytes[i + 2] & 255) << 16
          | bytes[i + 3] << 24);
    }
    for (int i = whole; i < bytes.length; i++) hash = mixed(hash, bytes[i]);
    hash ^= bytes.length;
    hash = (hash ^ (hash >>> 16)) * 0x85ebca6b;
    hash = (hash ^ (hash >>> 13)) * 0xc2b2ae35;
    return hash ^ (hash >>> 16);
  }

  private static int mixed(int hash, int word) {
    int part = Integer.rotateLeft(word * 0xcc9e2d51, 15) * 0x1b873593;
    return Integer.rotateLeft(hash ^ part, 13) * 5 + 0xe6546b64;
  }
}
