package io.eddyline.spark

import java.lang.reflect.Modifier
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters._
import scala.util.Using

import org.apache.commons.lang3.SerializationUtils
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression}
import org.apache.spark.sql.catalyst.plans.QueryPlan
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.{CurrentOrigin, LeafLike, Origin, TreeNode, TreeNodeTag}
import org.apache.spark.sql.execution.{LeafExecNode, SparkPlan}
import org.apache.spark.sql.types.{IntegerType, StringType}
import org.scalatest.funsuite.AnyFunSuite

/**
 * Tests that the nodes of a package keep the contract of Spark's trees. Rules and adaptive
 * execution copy nodes all the time: one that loses a field in a copy changes a query without any
 * error, and only where that rule meets it.
 *
 * @param owner the package, with those inside it
 */
abstract class TreeContract(owner: String) extends AnyFunSuite {
  import TreeContract._

  /** Returns an example of each node that has children. */
  protected def examples(columns: Columns): Seq[TreeNode[_]]

  /** Whether Spark may take one node for another that is canonically equal. */
  protected def isReused(node: QueryPlan[_]): Boolean = true

  private def fresh(): Seq[TreeNode[_]] =
    CurrentOrigin.withOrigin(TYPED)(examples(new Columns)).map { node =>
      node.setTagValue(TAG, "kept")
      node
    }

  test("every node that has children has an example") {
    assert(fresh().map(_.getClass.getName).toSet == nodesIn(s"io.eddyline.spark.$owner"))
  }

  // each test makes its nodes again, since the fields of a suite come after its tests
  fresh().zipWithIndex.foreach { case (node, i) =>
    val name = node.getClass.getSimpleName
    test(s"$name keeps all but its children when these are replaced") {
      fresh()(i) match {
        case plan: LogicalPlan => replaces[LogicalPlan](plan,
            child =>
              LocalRelation(child.output, isStreaming = true))
        case plan: SparkPlan => replaces[SparkPlan](plan, child => Rows(child.output, "other"))
        case expression: Expression => replaces[Expression](expression,
            child =>
              AttributeReference("other", child.dataType)())
      }
    }

    test(s"$name is equal to its clone, and shown in one line") {
      val node = fresh()(i)
      val cloned = node.clone().asInstanceOf[TreeNode[_]]
      assert(cloned == node && !cloned.eq(node) && cloned.getTagValue(TAG).contains("kept"))
      assert(shown(cloned) == shown(node) && !shown(node).contains("\n"))
    }

    node match {
      case plan: QueryPlan[_] if isReused(plan) =>
        test(s"$name has a canonical form without the ids of its columns") {
          val one = fresh()(i).asInstanceOf[QueryPlan[_]]
          val other = fresh()(i).asInstanceOf[QueryPlan[_]]
          assert(one != other && one.canonicalized == other.canonicalized)
        }
      case _ =>
    }

    if (!node.isInstanceOf[LogicalPlan]) { // which stays on the driver
      test(s"$name reaches the tasks") {
        val sent = fresh()(i).asInstanceOf[TreeNode[_] with java.io.Serializable]
        assert(SerializationUtils.roundtrip(sent) == sent)
      }
    }
  }

  /** Returns the text of a node in EXPLAIN, without the number that every Exchange has. */
  private def shown(node: TreeNode[_]): String =
    node.simpleString(maxFields = 25).replaceAll("plan_id=\\d+", "")

  private def replaces[T <: TreeNode[T]](node: T, other: T => T): Unit = {
    val others = node.children.map(other)
    val moved = node.withNewChildren(others)
    assert(moved.getClass == node.getClass && moved.children == others && moved != node)
    assert(moved.origin == TYPED && moved.getTagValue(TAG).contains("kept"))
    assert(moved.withNewChildren(node.children) == node)
  }
}

object TreeContract {
  private val TAG = TreeNodeTag[String]("eddyline.suite")
  private val TYPED = Origin(line = Some(3), startPosition = Some(5))

  /** Columns, and relations of them, with ids that no other object has. */
  class Columns {
    val key: AttributeReference = AttributeReference("key", IntegerType)()
    val value: AttributeReference = AttributeReference("value", IntegerType)()
    val text: AttributeReference = AttributeReference("text", StringType)()
    val all: Seq[AttributeReference] = Seq(key, value, text)

    def relation: LogicalPlan = LocalRelation(all)

    def scan: SparkPlan = Rows(all, "rows")
  }

  private case class Rows(output: Seq[Attribute], name: String) extends LeafExecNode {
    override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException
  }

  /** Returns the names of the classes of nodes with children in a package and those inside it. */
  private def nodesIn(name: String): Set[String] = {
    val location = classOf[EddylineExtensions].getProtectionDomain.getCodeSource.getLocation
    val root = Path.of(location.toURI)
    val files = Using.resource(Files.walk(root.resolve(name.replace('.', '/'))))(
      _.iterator.asScala.map(root.relativize(_).toString).filter(_.endsWith(".class")).toSeq)
    files.map(file =>
      Class.forName(file.stripSuffix(".class").replace('/', '.'), false,
        getClass.getClassLoader)).filter { found =>
      classOf[TreeNode[_]].isAssignableFrom(found) && !Modifier.isAbstract(found.getModifiers) &&
      !classOf[LeafLike[_]].isAssignableFrom(found)
    }.map(_.getName).toSet
  }
}
