import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.scalafmt.Scalafmt;
import org.scalafmt.config.ScalafmtConfig;

/**
 * Formats the Scala files below some paths by `.scalafmt.conf`, or tests their format.
 *
 * <pre>java -cp 'build/scalafmt/*' jvm-shim/Format.java [--test] PATH…</pre>
 *
 * Maven has the core of this scalafmt, which sbt uses too, but no command line of it.
 */
final class Format {
  public static void main(String[] arguments) throws IOException {
    List<String> paths = new ArrayList<>(List.of(arguments));
    boolean tests = paths.remove("--test");
    ScalafmtConfig style = Scalafmt.parseHoconConfigFile(Path.of(".scalafmt.conf")).get();
    List<Path> others = new ArrayList<>();
    for (String path : paths) {
      for (Path file : scalaFiles(Path.of(path))) {
        String code = Files.readString(file);
        String formatted =
            Scalafmt.format(code, style, Scalafmt.format$default$3(), file.toString()).get();
        if (!formatted.equals(code)) {
          others.add(file);
          if (!tests) {
            Files.writeString(file, formatted);
          }
        }
      }
    }
    others.forEach(file -> System.out.println((tests ? "to format: " : "formatted: ") + file));
    System.exit(tests && !others.isEmpty() ? 1 : 0);
  }

  private static List<Path> scalaFiles(Path path) throws IOException {
    try (Stream<Path> found = Files.walk(path)) {
      return found.filter(Format::isScala).sorted().toList();
    }
  }

  private static boolean isScala(Path file) {
    return file.toString().endsWith(".scala") || file.toString().endsWith(".sbt");
  }
}
