package io.eddyline.spark.assume.check

import java.net.URI

import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.types.{ArrayType, StructType}

import io.eddyline.spark.assume.units.{FileVersion, PartitionNumberCoalescer, TryKey, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict

/**
 * Reads the keys of all rows of a relation, with one partition for each unit. With several
 * relations a partition has the units with the same number of all relations.
 *
 * @param relations scans that read only the keys, which have the same types in all relations
 */
private[assume] class KeyHashScan(relations: Seq[UnitScanExec]) {

  /**
   * Returns the hash of the keys of each row of the relations. Equal keys have equal hashes, also
   * keys that are equal by a collation. The hash is NULL if the keys cannot be computed, since no
   * query can group by such keys.
   */
  def hashes: RDD[InternalRow] = project(relation => Seq(hash(relation)))

  /** Returns the verdict of a comparison of hashes, with the key and files that violate a claim. */
  def verdict(comparison: DuplicateKeyFinder.Result): Verdict = comparison.conflict match {
    case Some(conflict) =>
      val files = relations.flatMap(_.files)
      val violated = for {
        first <- find(conflict.hash, conflict.unit1)
        second <- find(conflict.hash, conflict.unit2)
        file1 <- first.file(files)
        file2 <- second.file(files)
      } yield Verdict.Violated(first.key, file1, file2)
      violated.getOrElse(Verdict.FilesChanged)
    case None => comparison.unproven.getOrElse(Verdict.Holds)
  }

  /** Finds a key with that hash in a partition; None if the files no longer contain one. */
  private def find(keyHash: Long, partition: Int): Option[KeyLocation] = {
    val rdd = project(relation => hash(relation) +: KeyLocation.fields(relation.keys))
    rdd.sparkContext.runJob(
      rdd,
      (rows: Iterator[InternalRow]) =>
        rows.find(row => !row.isNullAt(0) && row.getLong(0) == keyHash).map(KeyLocation.of),
      Seq(partition)).head
  }

  private def hash(relation: UnitScanExec): NamedExpression = {
    val hash = KeyHashScan.hash(relation.keys)
    Alias(TryKey.of(relation.keys, hash.child), hash.name)()
  }

  private def project(fields: UnitScanExec => Seq[NamedExpression]): RDD[InternalRow] = {
    val rdds = relations.map { relation =>
      CollapseCodegenStages()(ProjectExec(fields(relation), KeyHashScan.asRows(relation))).execute()
    }
    if (rdds.size == 1) {
      rdds.head
    } else {
      val numbers = relations.flatMap(_.unitNumbers)
      val partitionOf = numbers.distinct.sorted.zipWithIndex.toMap
      rdds.head.sparkContext.union(rdds).coalesce(
        partitionOf.size, shuffle = false,
        Some(new PartitionNumberCoalescer(numbers.map(partitionOf))))
    }
  }
}

private[assume] object KeyHashScan {

  /** Returns a plan of the rows of a scan, which may read batches. */
  def asRows(units: UnitScanExec): SparkPlan =
    if (units.supportsColumnar) ColumnarToRowExec(units) else units

  /**
   * Returns the expression of the hash of keys. Spark's own hash skips a NULL and adds the elements
   * of an array one by one, so it is the same for (1, NULL) and (NULL, 1), and for the arrays
   * ([1], [2]) and ([1, 2], []). Therefore the shape of each key is hashed, too.
   */
  def hash(keys: Seq[Expression]): Alias =
    Alias(new CollationAwareXxHash64(keys ++ keys.flatMap(shape)), "hash")()

  /** Returns where a key is NULL and how long its arrays are, also in its fields and elements. */
  private def shape(key: Expression): Seq[Expression] = key.dataType match {
    case StructType(fields) =>
      IsNull(key) +: fields.indices.flatMap(i => shape(GetStructField(key, i)))
    case ArrayType(element, containsNull) =>
      val each = NamedLambdaVariable("element", element, containsNull)
      Size(key, legacySizeOfNull = true) +: // -1 for NULL
        shape(each).map(body => ArrayTransform(key, LambdaFunction(body, Seq(each))))
    case _ => Seq(IsNull(key))
  }
}

/**
 * A key and a file in which a task has read it.
 *
 * @param key the values of the key as text, such as `(1, a)`
 * @param uri the URI of the file, percent-encoded
 */
private[assume] case class KeyLocation(key: String, uri: String) {

  /** The file among `files`; None if it is not one of them. */
  def file(files: Seq[FileVersion]): Option[FileVersion] = {
    val path = new Path(new URI(uri)).toString
    files.find(_.path == path)
  }
}

private[assume] object KeyLocation {

  /** Returns the columns that [[of]] expects at the end of a row: the keys as text, and the URI. */
  def fields(keys: Seq[Expression]): Seq[NamedExpression] =
    Seq(Alias(TryKey.text(keys), "text")(), Alias(InputFileName(), "uri")())

  /** Reads a location from the last columns of a row. */
  def of(row: InternalRow): KeyLocation = {
    val Seq(key, uri) = Seq(2, 1).map(i => row.getUTF8String(row.numFields - i).toString)
    KeyLocation(key, uri)
  }
}
