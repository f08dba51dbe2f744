package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.trees.{Origin, TreeNode}

import io.eddyline.spark.TreeContract
import io.eddyline.spark.TreeContract.Columns

class CoGroupNodesSuite extends TreeContract("cogroup") {

  override protected def examples(columns: Columns): Seq[TreeNode[_]] = {
    import columns._
    val time = UnresolvedAttribute("time")
    val window = WindowKey(UnresolvedFunction("window", Seq(time), isDistinct = false))
    Seq(
      CoGroupBranch("a", Seq(key), Seq(Origin(line = Some(1))), relation),
      CoGroupUnion(Seq("k"), Seq(None), Seq("a"), Seq(0), relation),
      UnresolvedCoGroup(Seq(relation, relation), Seq(Some("k"), None), Seq(None, Some(window))))
  }
}
