package io.eddyline.spark.assume.verdict

import io.eddyline.spark.assume.units.FileVersion

/** What a check of a claim about files found. */
private[assume] sealed trait Verdict {
  /** As EXPLAIN has it. */
  def text: String
}

private[assume] object Verdict {
  /** No key is in two files. */
  case object Holds extends Verdict {
    override def text: String = "holds"
  }

  /** A key, as a user writes it, is in two files. */
  case class Violated(key: String, file1: FileVersion, file2: FileVersion) extends Verdict {
    override def text: String = s"false, $key is in two units"
  }

  /** A row is not in the unit that its hash gives. */
  case class Misplaced(key: String, file: FileVersion, unit: Int, expected: Int) extends Verdict {
    override def text: String = s"false, $key is in unit $unit and its hash gives $expected"
  }

  /** The files are not those that were listed. */
  case object FilesChanged extends Verdict {
    override def text: String = "not proven, the files have changed since they were listed"
  }

  /** There are more hashes of keys than the driver may be sent. */
  case object ResultsTooLarge extends Verdict {
    override def text: String = "not proven, its keys exceed spark.driver.maxResultSize"
  }

  /** There are more keys than the driver may hold. */
  case class TooManyKeys(limit: Int) extends Verdict {
    override def text: String = s"not proven, more than $limit keys"
  }
}
