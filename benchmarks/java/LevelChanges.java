import java.util.function.ToLongFunction;
import org.apache.kafka.streams.processor.api.*;
import org.apache.kafka.streams.processor.api.Record;
import org.apache.kafka.streams.state.KeyValueStore;

/** Forwards a record if its level is higher than all that its key had, and only then writes it. */
class LevelChanges implements Processor<String, String, String, String> {
  /** The name of the store of the highest level of each key. */
  static final String STORE = "levels";

  private final ToLongFunction<String> levelOf;
  private ProcessorContext<String, String> context;
  private KeyValueStore<String, Long> levels;

  LevelChanges(ToLongFunction<String> levelOf) {
    this.levelOf = levelOf;
  }

  @Override
  public void init(ProcessorContext<String, String> given) {
    context = given;
    levels = given.getStateStore(STORE);
  }

  @Override
  public void process(Record<String, String> record) {
    long level = levelOf.applyAsLong(record.value());
    Long before = levels.get(record.key());
    if (before == null || before < level) {
      levels.put(record.key(), level);
      context.forward(record);
    }
  }
}
