package io.eddyline.spark.base

import org.apache.spark.sql.catalyst.trees.TreeNode

import io.eddyline.spark.TreeContract
import io.eddyline.spark.TreeContract.Columns

class BaseNodesSuite extends TreeContract("base") {

  override protected def examples(columns: Columns): Seq[TreeNode[_]] =
    Seq(ContentHash(Seq(columns.text, columns.value), 42))
}
