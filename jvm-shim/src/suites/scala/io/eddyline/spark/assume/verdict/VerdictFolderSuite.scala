package io.eddyline.spark.assume.verdict

import java.nio.file.{Files, Path => LocalPath}

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileUtil, Path}
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.assume.units.FileVersion

class VerdictFolderSuite extends AnyFunSuite {
  private val claim = ClaimFingerprint("k INT", "parquet")
  private val one = FileVersion("hdfs://host/t/ä.parquet", 1L << 40, 1234567890123L)
  private val other = FileVersion("b", 0, 0)
  private val violated = Verdict.Violated("(1, x)", one, other)

  /** Runs a test with a folder and a function that returns its files. */
  private def withFolder(body: (VerdictFolder, () => Seq[LocalPath]) => Unit): Unit = {
    val root = Files.createTempDirectory("eddyline")
    def files(): Seq[LocalPath] =
      Files.walk(root).iterator.asScala.filter(_.toString.endsWith(".verdict")).toSeq
    try body(new VerdictFolder(new Path(root.toUri), new Configuration), () => files())
    finally FileUtil.fullyDelete(root.toFile)
  }

  private def result(verdict: Verdict, hashes: Map[FileVersion, Seq[Long]]): CheckResult =
    CheckResult(
      Set(one, other), verdict, hashes.map { case (file, found) => file -> found.toArray })

  private def put(folder: VerdictFolder, result: CheckResult): Unit =
    folder.put(claim, result, Nil)

  test("every verdict is read as it was written") {
    for (verdict <- Seq(Verdict.Holds, violated, Verdict.Misplaced("(7)", other, 3, 4))) {
      withFolder { (folder, _) =>
        val hashes = Map(one -> Seq(1L, Long.MinValue, -1L))
        put(folder, result(verdict, hashes))
        val Seq(found) = folder.results(claim)
        assert(found.verdict == verdict && found.files == Set(one, other))
        assert(found.hashes.map { case (file, of) => file -> of.toSeq } == hashes)
      }
    }
  }

  test("no hashes of a file are something else than unknown ones") {
    withFolder { (folder, _) =>
      put(folder, result(violated, Map(other -> Nil)))
      assert(folder.results(claim).map(_.hashes.keySet) == Seq(Set(other)))
    }
  }

  test("a file may have more hashes than Jackson reads into a text") {
    withFolder { (folder, _) =>
      put(folder, result(Verdict.Holds, Map(one -> (0L until 3000000L))))
      assert(folder.results(claim).map(_.numHashes) == Seq(3000000))
    }
  }

  test("a file in another form counts as absent") {
    withFolder { (folder, files) =>
      put(folder, result(violated, Map(one -> Seq(1L, 2L))))
      val Seq(file) = files()
      val text = Files.readString(file)
      Files.delete(file.resolveSibling(s".${file.getFileName}.crc"))
      for (other <- text.indices.map(text.take) ++ Seq("{}", "[]",
          text.replace("AAEAAAAAAAAAAg==", "AAEAAAA="))) {
        Files.writeString(file, other)
        assert(folder.results(claim) == Nil, other)
      }
    }
  }

  test("a verdict about another claim counts as absent") {
    withFolder { (folder, files) =>
      put(folder, result(violated, Map.empty))
      for (changed <- Seq(claim.copy(keys = "k LONG"), claim.copy(readerDigest = "orc"))) {
        val Seq(file) = files()
        val there = file.getParent.resolveSibling(changed.digest)
        Files.createDirectories(there)
        Files.copy(file, there.resolve(file.getFileName))
        assert(folder.results(changed) == Nil)
        Files.delete(there.resolve(file.getFileName))
      }
    }
  }
}
