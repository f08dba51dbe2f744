package io.eddyline.spark.emit

import java.nio.ByteBuffer
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.LongType

/**
 * A row of 16 bytes that stands for a wide one: the MD5 of its bytes. Two rows that differ have the
 * same with a probability of 2^-128^; nothing here has to withstand an attacker.
 */
private[emit] class RowHash {
  private val digest = MessageDigest.getInstance("MD5")
  private val row = UnsafeProjection.create(RowHash.schema).apply(InternalRow(0L, 0L))

  /** Valid until the next call. */
  def apply(wide: UnsafeRow): UnsafeRow = {
    val hash = ByteBuffer.wrap(digest.digest(wide.getBytes))
    row.setLong(0, hash.getLong)
    row.setLong(1, hash.getLong)
    row
  }
}

private[emit] object RowHash {
  /** Digests do not compress, so a narrow row takes less space as it is. */
  val WORTHWHILE_BYTES = 128

  def attributes: Seq[Attribute] =
    Seq(AttributeReference("hash_high", LongType)(), AttributeReference("hash_low", LongType)())

  private val schema = DataTypeUtils.fromAttributes(attributes)
}
