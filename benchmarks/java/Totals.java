import java.nio.ByteBuffer;
import java.util.StringJoiner;

/** Count, sum and last item of each of three topics for a customer, as nine longs. */
class Totals {
  private static final int OF_TOPIC = 3 * Long.BYTES;

  private Totals() {}

  static byte[] none() {
    ByteBuffer row = ByteBuffer.allocate(3 * OF_TOPIC);
    for (int topic = 0; topic < 3; topic++) row.putLong(topic * OF_TOPIC + 2 * Long.BYTES, -1);
    return row.array();
  }

  /** Adds a record of a topic; `isLast` says whether it is the newest so far. */
  static void add(byte[] row, int topic, String value, boolean isLast) {
    int item = value.indexOf(',');
    int amount = value.indexOf(',', item + 1);
    int at = topic * OF_TOPIC;
    ByteBuffer longs = ByteBuffer.wrap(row);
    longs.putLong(at, longs.getLong(at) + 1);
    at += Long.BYTES;
    longs.putLong(at, longs.getLong(at) + Long.parseLong(value, item + 1, amount, 10));
    if (isLast) longs.putLong(at + Long.BYTES, Long.parseLong(value, 0, item, 10));
  }

  static String shown(byte[] row) {
    StringJoiner text = new StringJoiner(",");
    ByteBuffer longs = ByteBuffer.wrap(row);
    while (longs.hasRemaining()) text.add(Long.toString(longs.getLong()));
    return text.toString();
  }
}
