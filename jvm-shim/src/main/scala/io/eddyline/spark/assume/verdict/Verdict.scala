package io.eddyline.spark.assume.verdict

import io.eddyline.spark.assume.claim.Claim
import io.eddyline.spark.assume.units.FileVersion

/** The outcome of a check of a claim about files. */
private[assume] sealed trait Verdict {

  /** The verdict as EXPLAIN shows it. */
  def text: String
}

private[assume] object Verdict {

  /** No key is in two units. */
  case object Holds extends Verdict {
    override def text: String = Claim.HOLDS
  }

  /** A key, given as a user writes it, is in two files of different units. */
  case class Violated(key: String, file1: FileVersion, file2: FileVersion) extends Verdict {
    override def text: String = s"false, $key is in two units"
  }

  /** A row with this key is in `unit`, but its hash gives the unit `expected`. */
  case class Misplaced(key: String, file: FileVersion, unit: Int, expected: Int) extends Verdict {
    override def text: String = s"false, $key is in unit $unit and its hash gives $expected"
  }

  /** The files have changed since they were listed. */
  case object FilesChanged extends Verdict {
    override def text: String = "not proven, the files have changed since they were listed"
  }

  /** The key hashes exceed `spark.driver.maxResultSize`. */
  case object ResultsTooLarge extends Verdict {
    override def text: String = "not proven, its keys exceed spark.driver.maxResultSize"
  }

  /** There are more keys than `limit`, which a task or the driver may hold in memory. */
  case class TooManyKeys(limit: Int) extends Verdict {
    override def text: String = s"not proven, more than $limit keys"
  }
}
