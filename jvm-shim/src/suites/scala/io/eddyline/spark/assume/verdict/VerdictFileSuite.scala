package io.eddyline.spark.assume.verdict

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.assume.units.FileVersion

class VerdictFileSuite extends AnyFunSuite {
  private val claim = ClaimFingerprint("k INT", "parquet")
  private val one = FileVersion("hdfs://host/t/ä.parquet", 1L << 40, 1234567890123L)
  private val other = FileVersion("b", 0, 0)

  private def written(verdict: Verdict, hashes: Map[FileVersion, Seq[Long]]): Array[Byte] = {
    val out = new ByteArrayOutputStream
    val arrays = hashes.map { case (file, found) => file -> found.toArray }
    VerdictFile.write(claim, CheckResult(Set(one, other), verdict, arrays), out)
    out.toByteArray
  }

  private def read(bytes: Array[Byte], of: ClaimFingerprint = claim): CheckResult =
    VerdictFile.read(of, bytes.length, new ByteArrayInputStream(bytes))

  private val violated = Verdict.Violated("(1, x)", one, other)
  private val bytes = written(violated, Map(one -> Seq(1L, Long.MinValue), other -> Nil))

  test("every verdict is read as it was written") {
    for (verdict <- Seq(Verdict.Holds, violated, Verdict.Misplaced("(7)", other, 3, 4))) {
      val found = read(written(verdict, Map(one -> Seq(1L, -1L))))
      assert(found.verdict == verdict && found.files == Set(one, other))
      assert(found.hashes.map { case (file, hashes) => file -> hashes.toSeq } ==
        Map(one -> Seq(1L, -1L)))
    }
  }

  test("no hashes of a file are something else than unknown ones") {
    assert(read(bytes).hashes.keySet == Set(one, other))
    assert(read(written(violated, Map.empty)).hashes.isEmpty)
  }

  test("a file that was cut off anywhere is refused") {
    bytes.indices.foreach(length => intercept[Exception](read(bytes.take(length))))
  }

  test("a file with any changed bit is refused") {
    for (at <- bytes.indices; bit <- 0 until 8) {
      val changed = bytes.updated(at, (bytes(at) ^ (1 << bit)).toByte)
      withClue(s"bit $bit of byte $at: ")(intercept[Exception](read(changed)))
    }
  }

  test("a verdict about another claim is refused") {
    for (changed <- Seq(claim.copy(keys = "k LONG"), claim.copy(reader = "orc"))) {
      assert(intercept[Exception](read(bytes, changed)).getMessage.contains("another claim"))
    }
  }
}
