package io.eddyline.spark.assume.check

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution._
import org.apache.spark.sql.types.{ArrayType, StructType}

import io.eddyline.spark.assume.units.{ByNumber, KeyOrNull, UnitScanExec}
import io.eddyline.spark.assume.verdict.Verdict

/**
 * A scan of the keys of all rows of a relation, with one partition for each unit. With several
 * relations a partition contains the units with one number of all relations.
 *
 * @param sides scans that read only the keys, of the same types in all sides
 */
private[assume] class KeyHashScan(sides: Seq[UnitScanExec]) {

  /**
   * One row for each row of the relations, with the hash of its keys. Equal keys have equal hashes,
   * under a collation too. The hash is NULL if the keys cannot be computed; no query can group by
   * such keys.
   */
  def hashes: RDD[InternalRow] = project(side => Seq(hash(side)))

  /** Turns the outcome of a hash comparison into a verdict, with the offending key and files. */
  def verdict(found: DuplicateKeyFinder.Result): Verdict = found.conflict match {
    case Some(conflict) =>
      val files = sides.flatMap(_.files)
      val found = for {
        first <- find(conflict.hash, conflict.unit1)
        second <- find(conflict.hash, conflict.unit2)
        file1 <- first.file(files)
        file2 <- second.file(files)
      } yield Verdict.Violated(first.key, file1, file2)
      found.getOrElse(Verdict.FilesChanged)
    case None => found.unproven.getOrElse(Verdict.Holds)
  }

  /** Finds a key with that hash in a unit; None if the files no longer contain one. */
  private def find(hashed: Long, unit: Int): Option[KeyLocation] = {
    val rows = project(side => hash(side) +: KeyLocation.fields(side.keys))
    val count = sides.head.keys.size
    rows.sparkContext.runJob(
      rows,
      (partition: Iterator[InternalRow]) =>
        partition
          .find(row => !row.isNullAt(0) && row.getLong(0) == hashed)
          .map(KeyLocation.of(_, count)),
      Seq(unit)).head
  }

  private def hash(side: UnitScanExec): NamedExpression = {
    val hash = KeyHashScan.hash(side.keys)
    Alias(KeyOrNull.of(side.keys, hash.child), hash.name)()
  }

  private def project(fields: UnitScanExec => Seq[NamedExpression]): RDD[InternalRow] = {
    val rows = sides.map { side =>
      CollapseCodegenStages()(ProjectExec(fields(side), KeyHashScan.rows(side))).execute()
    }
    if (rows.size == 1) {
      rows.head
    } else {
      val numbers = sides.flatMap(_.unitNumbers)
      val placeOf = numbers.distinct.sorted.zipWithIndex.toMap
      rows.head.sparkContext.union(rows).coalesce(
        placeOf.size, shuffle = false, Some(new ByNumber(numbers.map(placeOf))))
    }
  }
}

private[assume] object KeyHashScan {

  def rows(units: UnitScanExec): SparkPlan =
    if (units.supportsColumnar) ColumnarToRowExec(units) else units

  /**
   * The hash of keys. Spark's own skips a NULL and adds the elements of an array one by one, so it
   * is the same for (1, NULL) and (NULL, 1), and for the arrays ([1], [2]) and ([1, 2], []).
   */
  def hash(keys: Seq[Expression]): Alias =
    Alias(new CollationAwareXxHash64(keys ++ keys.flatMap(shape)), "hash")()

  /** Tells where a key is NULL and how long its arrays are, in its fields and elements too. */
  private def shape(key: Expression): Seq[Expression] = key.dataType match {
    case StructType(fields) =>
      IsNull(key) +: fields.indices.flatMap(i => shape(GetStructField(key, i)))
    case ArrayType(element, containsNull) =>
      val each = NamedLambdaVariable("element", element, containsNull)
      Size(key, legacySizeOfNull = true) +: // -1 of NULL
        shape(each).map(of => ArrayTransform(key, LambdaFunction(of, Seq(each))))
    case _ => Seq(IsNull(key))
  }
}
