package io.eddyline.spark.base

import org.apache.spark.unsafe.types.UTF8String

/** The types of a changed row, in the words of the change data feeds of Delta and Spark. */
private[spark] object ChangeTypes {
  val INSERT: UTF8String = UTF8String.fromString("insert")

  /** The row before an update. */
  val PREIMAGE: UTF8String = UTF8String.fromString("update_preimage")

  /** The row after an update. */
  val POSTIMAGE: UTF8String = UTF8String.fromString("update_postimage")
  val DELETE: UTF8String = UTF8String.fromString("delete")
}
