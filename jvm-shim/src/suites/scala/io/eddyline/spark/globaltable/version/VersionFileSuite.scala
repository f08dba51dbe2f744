package io.eddyline.spark.globaltable.version

import java.nio.charset.StandardCharsets.UTF_8

import org.scalatest.funsuite.AnyFunSuite

class VersionFileSuite extends AnyFunSuite {
  private val full = Version("3-ab", 3, "ab", Some(1L << 40), Some(0), 5, 2, Some("c"), Some("2-x"),
    Some(TopicPosition("""{"t":{"0":12}}""", 1, 1700000000000L, Some("id"))), folders = 3)

  test("a description is read as it was written") {
    for (version <- Seq(full, Version("1-a", 1, "a"))) {
      assert(VersionFile.read(VersionFile.write(version)).contains(version))
    }
  }

  test("a description that was cut off anywhere is none") {
    val bytes = VersionFile.write(full)
    assert(bytes.indices.forall(length => VersionFile.read(bytes.take(length)).isEmpty))
  }

  test("what older descriptions lack is as if there were none of it") {
    val old = """{"name":"1-a","number":1,"fingerprint":"a","offsets":"{}"}""".getBytes(UTF_8)
    assert(VersionFile.read(old)
        .contains(Version("1-a", 1, "a", topic = Some(TopicPosition("{}", 0, 0)))))
  }
}
