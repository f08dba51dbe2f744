package io.eddyline.spark.emit.keyed

import java.nio.ByteBuffer
import java.security.MessageDigest

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{LongType, MetadataBuilder, StructField}

/**
 * Computes the MD5 of the bytes of a row, as a row of two BIGINTs. Two different rows have equal
 * hashes with a probability of 2^-128^. The hash need not withstand an attacker.
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
   * The size in bytes above which a row is replaced by its hash. Hashes cannot be compressed, so
   * that narrower rows take less space.
   */
  val WORTHWHILE_BYTES = 128

  /** The metadata of a column that is half of a hash, since other columns may have its name. */
  private val MARK = new MetadataBuilder().putBoolean("eddyline.hash", true).build()

  /** The columns of a hash. */
  def attributes: Seq[Attribute] = Seq("hash_high", "hash_low")
    .map(AttributeReference(_, LongType, nullable = true, MARK)())

  /** Whether the columns of a state are those of a hash. */
  def isHash(columns: Seq[StructField]): Boolean =
    columns.nonEmpty && columns.forall(_.metadata == MARK)

  private val schema = DataTypeUtils.fromAttributes(attributes)
}
