import java.time.Duration;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.*;

/**
 * Changes rows of a table that is a topic, at a fixed rate, and measures when lookups see the
 * changes: some are followed by events of their key until the row is in a result.
 *
 * <p>A row is the microseconds of its sending. A result is the row that an event has joined, and a
 * comma. Arguments, each name=value: servers, rows, input, output (topics), keys, rate (changes a
 * second), seconds, warm (seconds before the measured ones, which begin with the first result).
 * With seconds=0 it only sends each row once. Prints one object of JSON, times in milliseconds;
 * cpu_from and cpu_to are lines before it, at the beginning and the end of the measured seconds.
 */
public class RowLag {
  private static final int PROBES = 20; // a second
  private static final long PACE = 5_000_000; // ns between the events of a key
  private static final int MOST = 10; // keys that have events at the same time

  private final Map<String, String> arguments;
  private final Map<String, Long> awaited = new ConcurrentHashMap<>();
  private final List<Long> lags = Collections.synchronizedList(new ArrayList<>());
  private volatile boolean hasBegun;
  private volatile long measuredFrom = Long.MAX_VALUE;

  RowLag(Map<String, String> arguments) {
    this.arguments = arguments;
  }

  public static void main(String[] words) throws Exception {
    new RowLag(Words.of(words)).run();
  }

  private void run() throws Exception {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", arguments.get("servers"), "linger.ms", "0", "acks", "1");
    try (Producer<String, String> producer =
        new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer())) {
      if (number("seconds") == 0) {
        for (long key = 0; key < number("keys"); key++) change(producer, "k" + key);
      } else {
        Thread reader = new Thread(this::read, "reader");
        reader.setDaemon(true);
        reader.start();
        send(producer);
      }
    }
  }

  private void change(Producer<String, String> producer, String key) {
    producer.send(new ProducerRecord<>(arguments.get("rows"), key, "" + micros()));
  }

  private void send(Producer<String, String> producer) {
    Random random = new Random(7);
    long keys = number("keys");
    long rate = number("rate");
    awaited.put("k0", 0L); // until the job answers
    while (!hasBegun) {
      events(producer);
      LockSupport.parkNanos(100_000_000);
    }
    long start = System.nanoTime();
    long warm = number("warm") * 1_000_000_000L;
    long end = start + warm + number("seconds") * 1_000_000_000L;
    long changes = 0;
    long probes = 0;
    long nextEvents = start;
    for (long now; (now = System.nanoTime()) < end;) {
      if (measuredFrom == Long.MAX_VALUE && now - start > warm) {
        measuredFrom = micros();
        System.out.println("cpu_from");
      }
      for (; changes < (now - start) / 1e9 * rate; changes++) {
        change(producer, "k" + (long) (random.nextDouble() * keys));
      }
      for (; probes < (now - start) / 1e9 * PROBES; probes++) {
        String key = "k" + (long) (random.nextDouble() * keys);
        awaited.putIfAbsent(key, micros());
        change(producer, key);
      }
      if (now > nextEvents) {
        events(producer);
        nextEvents = now + PACE;
      }
      LockSupport.parkNanos(500_000);
    }
    System.out.println("cpu_to");
    List<Long> found = new ArrayList<>(lags);
    System.out.printf(Locale.ROOT, "{\"p50\": %s, \"p99\": %s, \"max\": %s, \"seen\": \"%d of %d\"}%n",
        quantile(found, 0.5), quantile(found, 0.99), quantile(found, 1), found.size(),
        PROBES * number("seconds"));
  }

  /** Sends an event of each key whose row was not seen yet. */
  private void events(Producer<String, String> producer) {
    awaited.keySet().stream().limit(MOST).forEach(
        key -> producer.send(new ProducerRecord<>(arguments.get("input"), key, "")));
  }

  private void read() {
    Map<String, Object> settings = Map.of("bootstrap.servers", arguments.get("servers"));
    try (Consumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
      String output = arguments.get("output");
      List<TopicPartition> partitions = new ArrayList<>();
      consumer.partitionsFor(output)
          .forEach(found -> partitions.add(new TopicPartition(output, found.partition())));
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      while (true) {
        for (ConsumerRecord<String, String> result : consumer.poll(Duration.ofMillis(50))) {
          long now = micros();
          String value = result.value();
          long row = Long.parseLong(value.substring(0, value.indexOf(',')));
          Long sent = awaited.get(result.key());
          if (sent == null || row < sent) continue;
          awaited.remove(result.key());
          if (sent >= measuredFrom) lags.add(now - sent);
          hasBegun = true;
        }
      }
    }
  }

  private long number(String name) {
    return Long.parseLong(arguments.get(name));
  }

  private static long micros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
  }

  private static String quantile(List<Long> all, double part) {
    if (all.isEmpty()) return "null";
    List<Long> sorted = new ArrayList<>(all);
    Collections.sort(sorted);
    return String.format(Locale.ROOT, "%.1f", sorted.get((int) (part * (sorted.size() - 1))) / 1e3);
  }
}
