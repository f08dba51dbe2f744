package io.eddyline.spark.streamingquery.store

import java.util.Locale

import scala.util.Random

import org.scalatest.funsuite.AnyFunSuite

class FileNameSuite extends AnyFunSuite {

  test("any name gives a harmless file name, from which its key is read") {
    val random = new Random(1)
    val drawn = Seq.fill(2000)(random.nextString(random.nextInt(20)).filterNot(_.isSurrogate))
    for (name <- drawn ++ Seq("..", "a/b", "%2e", "a+b", "a b", "", "x.json", "Zürich", "ПОТОК")) {
      val file = FileName.of(name).get
      assert(file.matches("[a-z0-9_%-]*"), name)
      assert(FileName.keyOf(file).contains(FileName.key(name)), name)
    }
  }

  test("a file name that no query has gives no key") {
    for (file <- Seq("notes 100%", "%", "%zz", "Rooms", "a.b", "a b")) {
      assert(FileName.keyOf(file).isEmpty, file)
    }
  }

  test("names that differ in case alone are one, whatever the locale") {
    val default = Locale.getDefault
    try {
      Locale.setDefault(Locale.forLanguageTag("tr"))
      assert(FileName.of("RIDE").contains("ride") && FileName.of("ride").contains("ride"))
    } finally Locale.setDefault(default)
  }

  test("a name that file systems do not take is refused by its length in bytes") {
    assert(FileName.of("x" * 255).isDefined && FileName.of("x" * 256).isEmpty)
    assert(FileName.of("ä" * 42).isDefined && FileName.of("ä" * 43).isEmpty)
  }
}
