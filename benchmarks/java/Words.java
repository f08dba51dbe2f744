import java.util.*;

/** The arguments of a program. */
class Words {
  private Words() {}

  /** Returns arguments of the form `name=value` by their names. */
  static Map<String, String> of(String[] arguments) {
    Map<String, String> words = new HashMap<>();
    for (String word : arguments) {
      int end = word.indexOf('=');
      words.put(word.substring(0, end), word.substring(end + 1));
    }
    return words;
  }
}
