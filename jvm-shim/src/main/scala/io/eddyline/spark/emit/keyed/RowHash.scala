package io.eddyline.spark.emit.keyed

import java.nio.ByteBuffer
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{LongType, MetadataBuilder, StructField}

/**
 * Computes a row of 16 bytes that represents a wide one: the MD5 of its bytes. Two different rows
 * have equal hashes with a probability of 2^-128^; the hash need not withstand an attacker.
 */
private[emit] class RowHash {
  private val digest = MessageDigest.getInstance("MD5")
  private val row = UnsafeProjection.create(RowHash.schema).apply(InternalRow(0L, 0L))

  /** Returns the hash of a row. The returned row is valid until the next call. */
  def apply(wide: UnsafeRow): UnsafeRow = {
    val hash = ByteBuffer.wrap(digest.digest(wide.getBytes))
    row.setLong(0, hash.getLong)
    row.setLong(1, hash.getLong)
    row
  }
}

private[emit] object RowHash {

  /**
   * The size in bytes above which a row is replaced by its hash. Hashes do not compress, so
   * narrower rows take less space as they are.
   */
  val WORTHWHILE_BYTES = 128

  /** Says in the metadata that a column is half of a hash: other columns may have its name. */
  private val MARK = new MetadataBuilder().putBoolean("eddyline.hash", true).build()

  def attributes: Seq[Attribute] = Seq("hash_high", "hash_low")
    .map(AttributeReference(_, LongType, nullable = true, MARK)())

  /** Whether columns of a state are a hash. */
  def isOne(columns: Seq[StructField]): Boolean =
    columns.nonEmpty && columns.forall(_.metadata == MARK)

  private val schema = DataTypeUtils.fromAttributes(attributes)
}
