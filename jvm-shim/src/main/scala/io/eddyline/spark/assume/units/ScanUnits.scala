package io.eddyline.spark.assume.units

import scala.collection.mutable
import scala.util.matching.Regex

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.InternalRowComparableWrapper
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.FileSourceScanExec
import org.apache.spark.sql.execution.datasources.{FilePartition, FileScanRDD, PartitionedFile}
import org.apache.spark.sql.types.StringType

import io.eddyline.spark.assume.claim.Layout

/**
 * The units of a file scan. A unit is a group of files that one task reads, and so a partition of
 * the rows. The units are taken from the listing of the scan after static partition pruning;
 * dynamic pruning may leave a unit without files, but never renumbers the units.
 */
private[assume] abstract class ScanUnits(val scan: FileSourceScanExec) {

  /** One distinct id for each unit, in the order of the units. */
  def ids: Seq[Any]

  /** The distinct files as listed, in the order of their paths. */
  lazy val files: Seq[FileVersion] = scan.selectedPartitions.filePartitionIterator
    .flatMap(_.files).map(FileVersion(_)).toSeq.distinct.sortBy(_.path)

  /** The name of a file, preceded by its folder in a partitioned table. */
  def nameOf(file: FileVersion): String = {
    val path = new Path(file.path)
    val isPartitioned = scan.relation.partitionSchema.nonEmpty
    if (isPartitioned) s"${path.getParent.getName}/${path.getName}" else path.getName
  }

  /** The listed size in bytes of each unit that has a file. */
  def sizes: Seq[Long]

  /** Returns the id of the unit of a file. */
  protected def idOf(file: PartitionedFile): Any

  /**
   * Returns what was added after planning and belongs to no planned unit: the name of a file, or a
   * value of the partition columns. None if there is nothing.
   *
   * @param planned the units of the listing at planning
   */
  def fileOutsideOf(planned: ScanUnits): Option[String]

  /** Returns the index of the partition in which each of these units is read, by its id. */
  protected def partitionIndexById(planned: ScanUnits): Map[Any, Int] =
    planned.ids.zipWithIndex.toMap

  /**
   * Returns one partition for each planned unit, with the files that the scan reads, no longer
   * split. The scan must have started, and every file must belong to a planned unit.
   */
  def regroup(planned: ScanUnits): Array[FilePartition] = {
    val splits = scan.inputRDD match {
      case files: FileScanRDD => files.filePartitions.flatMap(_.files)
      case other => throw new IllegalStateException(s"no file scan: $other")
    }
    val partitionOf = partitionIndexById(planned)
    val byPartition = splits.groupBy(file => partitionOf(idOf(file)))
    // If no unit was planned, all files that were added since are one partition.
    val size = math.max(planned.ids.size, byPartition.size)
    Array.tabulate(size) { partition =>
      FilePartition(partition, ScanUnits.joinSplits(byPartition.getOrElse(partition, Nil)).toArray)
    }
  }
}

private[assume] object ScanUnits {

  /**
   * Returns the units of a scan.
   *
   * @param columns the partition columns among the keys of a claim; empty if units are files
   * @param layout how the units are numbered if they are files
   */
  def of(scan: FileSourceScanExec, columns: Seq[Attribute], layout: Layout): ScanUnits =
    if (columns.nonEmpty) new PartitionValueUnits(scan, columns)
    else if (layout.isNumbered) new NumberedUnits(scan, layout.size)
    else new UnitPerFile(scan)

  /** Joins adjacent splits of each file. A file that is read twice is returned twice. */
  private def joinSplits(splits: Seq[PartitionedFile]): Seq[PartitionedFile] = {
    val whole = mutable.ArrayBuffer.empty[PartitionedFile]
    splits.sortBy(split => (split.filePath.toString, split.start)).foreach { split =>
      val firstOfFile = whole.lastIndexWhere(_.filePath != split.filePath) + 1
      val adjacent = whole.indexWhere(file => file.start + file.length == split.start, firstOfFile)
      if (adjacent < 0) whole += split
      else whole(adjacent) = whole(adjacent).copy(length = whole(adjacent).length + split.length)
    }
    whole.toSeq
  }
}

/** Units whose ids are derived from the paths of their files. */
private[assume] sealed abstract class FileBasedUnits(scan: FileSourceScanExec)
  extends ScanUnits(scan) {

  protected def idOf(path: String): Any

  override protected def idOf(file: PartitionedFile): Any = idOf(file.toPath.toString)

  override def sizes: Seq[Long] =
    files.groupBy(file => idOf(file.path)).values.map(_.map(_.length).sum).toSeq
}

/** Units of one file each, in the order of the paths. */
private[assume] class UnitPerFile(scan: FileSourceScanExec) extends FileBasedUnits(scan) {

  override val ids: Seq[String] = files.map(_.path).distinct

  override protected def idOf(path: String): String = path

  override def fileOutsideOf(planned: ScanUnits): Option[String] = None

  /** A claim that is true of files is true of groups of them, so a new file may join any unit. */
  override protected def partitionIndexById(planned: ScanUnits): Map[Any, Int] =
    ids.zipWithIndex.map { case (id, i) => id -> i % math.max(planned.ids.size, 1) }.toMap
}

/**
 * Units by the part number in the names of files, which is the number of the partition that Spark
 * has written to a file. All files with one part number are a unit, also those appended later.
 *
 * @param size the number of units, including those without a file; if None, every part number that
 *             occurs is a unit
 */
private[assume] class NumberedUnits(scan: FileSourceScanExec, size: Option[Int])
  extends FileBasedUnits(scan) {

  override lazy val ids: Seq[Int] =
    size.fold(files.map(file => idOf(file.path)).distinct.sorted)(0 until _)

  /** The name of a file without a part number or with one outside `size`; None if there is none. */
  def fileWithoutUnit: Option[String] = files.find { file =>
    !PartNumber(file.path).exists(number => size.forall(number < _))
  }.map(nameOf)

  override def fileOutsideOf(planned: ScanUnits): Option[String] = {
    val known = planned.ids.toSet
    fileWithoutUnit.orElse(files.find(file => !known(idOf(file.path))).map(nameOf))
  }

  override protected def idOf(path: String): Int = PartNumber(path).getOrElse(
    throw new IllegalStateException(s"no part number: $path"))
}

/** Reads the part number of a file from the name that Spark has given it. */
private[assume] object PartNumber {
  private val NAME: Regex = """part-(\d{1,9})\D.*""".r

  /** The part number of a file; None if its name has none. */
  def apply(path: String): Option[Int] = new Path(path).getName match {
    case NAME(number) => Some(number.toInt)
    case _ => None
  }
}

/**
 * Units that are the typed values of some of the table's partition columns: `d=1` and `d=01` are
 * one unit of an integer column, and the default partition is the unit of NULL.
 */
private[assume] class PartitionValueUnits(scan: FileSourceScanExec, val columns: Seq[Attribute])
  extends ScanUnits(scan) {

  private val types = columns.map(_.dataType)
  private val comparable = new InternalRowComparableWrapper(_: InternalRow, types)
  private val ordinals = columns.map { column =>
    scan.relation.partitionSchema.fieldNames.indexWhere(scan.conf.resolver(_, column.name))
  }

  /** The values of the units in ascending order, without duplicates. */
  val values: Seq[InternalRow] = {
    val all = scan.selectedPartitions.filePartitionIterator.map(p => comparable(valueOf(p.values)))
    all.toSeq.distinct.map(_.row).sorted(RowOrdering.createNaturalAscendingOrdering(types))
  }

  override val ids: Seq[InternalRowComparableWrapper] = values.map(comparable)

  override def sizes: Seq[Long] = {
    val bytes = scan.selectedPartitions.filePartitionIterator.toSeq
      .groupMapReduce(p => comparable(valueOf(p.values)))(_.files.map(_.getLen).sum)(_ + _)
    ids.map(bytes)
  }

  override protected def idOf(file: PartitionedFile): InternalRowComparableWrapper =
    comparable(valueOf(file.partitionValues))

  override def fileOutsideOf(planned: ScanUnits): Option[String] = {
    val known = planned.ids.toSet
    values.zip(ids).collectFirst {
      case (row, id) if !known(id) =>
        columns.indices.map(textOf(row, _)).mkString("/")
    }
  }

  private def textOf(row: InternalRow, i: Int): String = {
    val value = Literal(row.get(i, types(i)), types(i))
    val text = Cast(value, StringType, Some(scan.conf.sessionLocalTimeZone)).eval()
    s"${columns(i).name}=${Option(text).getOrElse("NULL")}"
  }

  private def valueOf(partition: InternalRow): InternalRow =
    InternalRow.fromSeq(ordinals.zip(types).map { case (i, t) => partition.get(i, t) })
}

/**
 * Decides from the listing of files whether reading by units would reduce parallelism too much:
 * there are fewer units than cores that the scan would keep busy, or one is much larger than most.
 */
private[assume] object UnitCost {

  /** A unit that is larger than a split may have at most this many times the median size. */
  private val MAX_SKEW = 5

  /** Returns why the units should not be used, for EXPLAIN; None if they should. */
  def reason(units: ScanUnits, session: SparkSession): Option[String] = {
    val sizes = units.sizes.sorted
    val split = FilePartition.maxSplitBytes(session, units.scan.selectedPartitions)
    val tasks = (sizes.sum + split - 1) / split
    val cores = math.min(session.sparkContext.defaultParallelism.toLong, tasks)
    val median = sizes.lift(sizes.size / 2).getOrElse(0L)
    if (sizes.size < cores) {
      Some(s"too few units: ${sizes.size} for $cores tasks")
    } else if (sizes.lastOption.exists(largest => largest > MAX_SKEW * median && largest > split)) {
      Some(s"the largest unit has ${sizes.last} bytes, half of them have at most $median")
    } else {
      None
    }
  }
}
