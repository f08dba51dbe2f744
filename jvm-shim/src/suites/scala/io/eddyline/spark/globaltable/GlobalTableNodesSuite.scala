package io.eddyline.spark.globaltable

import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.types.StructType

import io.eddyline.spark.TreeContract
import io.eddyline.spark.TreeContract.Columns
import io.eddyline.spark.globaltable.catalog.TableId
import io.eddyline.spark.globaltable.join.GlobalTableProgressExec
import io.eddyline.spark.globaltable.topic.{NullIfMalformed, ReadAvro}
import io.eddyline.spark.globaltable.version.{PinnedTable, RowBytes, Version}

class GlobalTableNodesSuite extends TreeContract("globaltable") {

  private def pin(columns: Columns): PinnedTable = PinnedTable(
    TableId(Seq("spark_catalog", "default", "t"), "1"), Some(Version("3-ab", 3, "ab")),
    columns.all)(table = null, settings = Map("a" -> "b"))

  override protected def examples(columns: Columns): Seq[TreeNode[_]] = {
    import columns._
    Seq(
      RowBytes(Seq(key, text)),
      NullIfMalformed(text),
      ReadAvro(text, """{"type":"int"}""", StructType.fromDDL("a INT")),
      new GlobalTableProgressExec(pin(columns), scan))
  }

  test("a report names its table in every copy") {
    val report = new GlobalTableProgressExec(pin(new Columns), new Columns().scan)
    val copies = Seq(report.clone(), report.withNewChildren(Seq(new Columns().scan)))
    assert(copies.map(_.simpleString(25)).distinct == Seq("ReportGlobalTable default.t@3-ab"))
  }

  test("a pinned table keeps its settings in every copy, and another instance has other columns") {
    val pinned = pin(new Columns)
    val other = pinned.newInstance().asInstanceOf[PinnedTable]
    val copies = Seq(pinned.clone(), other, pinned.canonicalized)
    assert(copies.map { case copy: PinnedTable => copy.settings }.distinct == Seq(Map("a" -> "b")))
    assert(pinned.outputSet.intersect(other.outputSet).isEmpty)
    assert(pinned.sameResult(other) && pinned.sameResult(pin(new Columns)))
  }
}
