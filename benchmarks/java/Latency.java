import java.time.Duration;
import java.time.Instant;
import java.util.*;
import java.util.concurrent.*;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.clients.producer.*;
import org.apache.kafka.common.*;
import org.apache.kafka.common.serialization.*;

/**
 * Sends records at a fixed rate and measures when their results come out of another topic.
 *
 * <p>A record's value is a level and the microseconds of its sending, "3,1700000000000000"; one of
 * ten records of a key has a new level. A result's value ends with the microseconds of the newest
 * record that it covers. With a topic of a dimension, its keys get new rows every second, which
 * hold the microseconds at which the first of them was sent; a result then begins with those of the
 * row that it joined.
 *
 * <p>Arguments, each name=value: servers, inputs (topics with commas), output, dimension (optional),
 * rate (records a second), seconds, warm (seconds before the measured ones, which begin with the
 * first result), keys, placement (optional: the partition of each key, a digit a key), and each:
 * true if each record has a result, else only those of a new level have one. Prints one object of
 * JSON, times in milliseconds.
 */
public class Latency {
  private static final long GRACE_NANOS = 6_000_000_000L;

  private final Map<String, String> arguments;
  private final Map<String, Deque<Long>> unanswered = new ConcurrentHashMap<>();
  private final List<Long> latencies = new ArrayList<>();
  private final List<Long> freshness = new ArrayList<>();
  private final CountDownLatch firstResult = new CountDownLatch(1);
  private volatile long measuredFrom = Long.MAX_VALUE;
  private volatile boolean isDone;

  Latency(Map<String, String> arguments) {
    this.arguments = arguments;
  }

  public static void main(String[] words) throws Exception {
    System.out.println(new Latency(Words.of(words)).run());
  }

  private String run() throws Exception {
    Thread reader = new Thread(this::read, "reader");
    reader.setDaemon(true);
    reader.start();
    long sent = send();
    isDone = true;
    reader.join();
    return String.format(Locale.ROOT, "{\"sent\": %d, \"results\": %d, \"p50\": %s, \"p99\": %s, "
            + "\"p999\": %s, \"max\": %s, \"fresh_p50\": %s, \"fresh_max\": %s}",
        sent, latencies.size(), quantile(latencies, 0.5), quantile(latencies, 0.99),
        quantile(latencies, 0.999), quantile(latencies, 1), quantile(freshness, 0.5),
        quantile(freshness, 1));
  }

  /** Sends until the measured seconds are over; returns the number of records sent in them. */
  private long send() throws InterruptedException {
    String[] inputs = arguments.get("inputs").split(",");
    String dimension = arguments.get("dimension");
    boolean isEach = Boolean.parseBoolean(arguments.get("each"));
    long keys = number("keys");
    String placement = arguments.get("placement");
    long gap = 1_000_000_000L / number("rate");
    long warm = number("warm") * 1_000_000_000L;
    long measured = number("seconds") * 1_000_000_000L;
    long sent = 0;
    try (Producer<String, String> producer = producer()) {
      long start = System.nanoTime();
      long end = Long.MAX_VALUE;
      long nextRow = start;
      for (long n = 0; System.nanoTime() < end; n++) {
        for (long wait; (wait = start + n * gap - System.nanoTime()) > 0;) LockSupport.parkNanos(wait);
        if (dimension != null && System.nanoTime() >= nextRow) {
          String row = "" + micros();
          for (long key = 0; key < keys; key++) {
            producer.send(new ProducerRecord<>(dimension, "k" + key, row));
          }
          nextRow += 1_000_000_000L;
        }
        int number = (int) (n % keys);
        String key = "k" + number;
        long round = n / keys;
        long time = micros();
        long step = round + number % 10; // so that keys change at different times
        if (isEach || round == 0 || step % 10 == 0) {
          unanswered.computeIfAbsent(key, any -> new ConcurrentLinkedDeque<>()).addLast(time);
        }
        String input = inputs[(int) (round % inputs.length)];
        Integer partition = placement == null ? null : placement.charAt(number) - '0';
        producer.send(new ProducerRecord<>(input, partition, key, step / 10 + "," + time));
        if (measuredFrom != Long.MAX_VALUE && time >= measuredFrom) {
          sent++;
        } else if (end == Long.MAX_VALUE && firstResult.getCount() == 0) {
          measuredFrom = time + warm / 1000;
          end = System.nanoTime() + warm + measured;
        }
      }
    }
    return sent;
  }

  private void read() {
    try (Consumer<String, String> consumer = consumer()) {
      long newestRow = 0;
      for (long end = Long.MAX_VALUE; System.nanoTime() < end;) {
        for (ConsumerRecord<String, String> result : consumer.poll(Duration.ofMillis(50))) {
          long now = micros();
          firstResult.countDown();
          String value = result.value();
          long covered = Long.parseLong(value.substring(value.lastIndexOf(',') + 1));
          Deque<Long> times = unanswered.getOrDefault(result.key(), new ArrayDeque<>());
          for (Long time; (time = times.peekFirst()) != null && time <= covered;) {
            times.pollFirst();
            if (time >= measuredFrom) latencies.add(now - time);
          }
          if (arguments.containsKey("dimension")) {
            long row = Long.parseLong(value.substring(0, value.indexOf(',')));
            if (row > newestRow && row >= measuredFrom) freshness.add(now - row);
            newestRow = Math.max(row, newestRow);
          }
        }
        if (isDone && end == Long.MAX_VALUE) end = System.nanoTime() + GRACE_NANOS;
      }
    }
  }

  private Producer<String, String> producer() {
    Map<String, Object> settings = Map.of(
        "bootstrap.servers", arguments.get("servers"), "linger.ms", "0", "acks", "1");
    return new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
  }

  private Consumer<String, String> consumer() {
    Map<String, Object> settings = Map.of("bootstrap.servers", arguments.get("servers"));
    Consumer<String, String> consumer =
        new KafkaConsumer<>(settings, new StringDeserializer(), new StringDeserializer());
    List<TopicPartition> partitions = new ArrayList<>();
    String output = arguments.get("output");
    consumer.partitionsFor(output)
        .forEach(found -> partitions.add(new TopicPartition(output, found.partition())));
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    return consumer;
  }

  private long number(String name) {
    return Long.parseLong(arguments.get(name));
  }

  private static long micros() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000L + now.getNano() / 1000;
  }

  private static String quantile(List<Long> micros, double share) {
    if (micros.isEmpty()) return "null";
    List<Long> sorted = new ArrayList<>(micros);
    Collections.sort(sorted);
    int index = (int) Math.min(sorted.size() - 1, sorted.size() * share);
    return String.format(Locale.ROOT, "%.1f", sorted.get(index) / 1e3);
  }
}
