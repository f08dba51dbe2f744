package io.eddyline.spark.assume.claim

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Statistics, UnaryNode}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

/**
 * The claim that rows with equal keys are in one unit of the relation (KIP-759), where a unit is a
 * group of files or a partition of a topic. The node passes every row on unchanged.
 *
 * @param keys the claimed keys, over the columns of the child
 * @param unusable why the query cannot use the claim; None if it can
 */
case class AssumePartitionedBy(
    keys: Seq[Expression],
    layout: Layout,
    enforcement: Enforcement,
    child: LogicalPlan,
    unusable: Option[String] = None)
  extends UnaryNode {

  override def output: Seq[Attribute] = child.output

  override def maxRows: Option[Long] = child.maxRows

  override def stats: Statistics = child.stats

  /** Returns this claim over another plan. It keeps its position in the SQL text. */
  def over(plan: LogicalPlan, newKeys: Seq[Expression] = keys): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(keys = newKeys, child = plan))

  /** Returns this claim as unusable, for a reason or an earlier one that it has. */
  def dropped(reason: String): AssumePartitionedBy =
    CurrentOrigin.withOrigin(origin)(copy(unusable = unusable.orElse(Some(reason))))

  override def simpleString(maxFields: Int): String =
    s"AssumePartitionedBy ${keys.mkString("[", ", ", "]")}${layout.sql}${enforcement.suffix}"

  override protected def withNewChildInternal(newChild: LogicalPlan): AssumePartitionedBy =
    copy(child = newChild)
}

/**
 * How a claim says that its units are numbered: by the part number in the names of their files.
 *
 * @param name the name of the layout, whose claims all number their units alike; None if unnamed
 * @param size the number of units, including those without a file; None if it is not given
 * @param hashed whether the number of a row's unit is its partition in Spark's hash partitioning
 */
case class Layout(
    name: Option[String] = None, size: Option[Int] = None, hashed: Boolean = false) {

  /** The name in lower case: claims with equal ids belong to one layout. */
  def id: Option[String] = name.map(_.toLowerCase(Locale.ROOT))

  def isNumbered: Boolean = name.isDefined || size.isDefined

  /** The layout as written in the clause, with a leading blank; empty if there is none. */
  def sql: String =
    name.fold("")(n => s" LAYOUT $n") + size.fold("")(n => s" INTO $n PARTITIONS") +
      (if (hashed) " USING HASH SPARK" else "")
}

object Layout {

  /** No layout: every file is a unit of its own. */
  val Unnumbered: Layout = Layout()
}

/** How a claim that is not true by construction is checked, and what is done if it is false. */
sealed abstract class Enforcement(val sql: String) {

  /** Whether a false claim is an error. */
  def failsQuery: Boolean = this == Enforcement.Fail

  /** Returns how a claim about files with this enforcement is known to be true. */
  def proof(layout: Layout): Proof = this match {
    case Enforcement.NotEnforced => Proof.Trusted
    case _ if layout.hashed => Proof.HashCheck
    case Enforcement.Repartition | Enforcement.Fail => Proof.Checked
  }

  /** The enforcement as EXPLAIN appends it, with a leading blank; empty for the default. */
  def suffix: String = if (this == Enforcement.Repartition) "" else s" $sql"
}

object Enforcement {

  /** Checks all keys before the first row, and shuffles if the claim is false. */
  case object Repartition extends Enforcement("ENFORCED ON VIOLATION REPARTITION")

  /** Checks all keys before the first row, and fails if the claim is false. */
  case object Fail extends Enforcement("ENFORCED ON VIOLATION FAIL")

  /** Trusts the claim without a check. */
  case object NotEnforced extends Enforcement("NOT ENFORCED")
}

/**
 * How a claim is known to be true.
 *
 * @param name the proof in EXPLAIN and EXPLAIN CLAUSES
 */
sealed abstract class Proof(val name: String)

object Proof {

  /** True by construction: the units are values of partition columns among the keys. */
  case object Structural extends Proof("structural")

  /** Each row must be in the unit that the hash of its keys gives. This is checked first. */
  case object HashCheck extends Proof("hash check")

  /** All keys are checked before the first row. */
  case object Checked extends Proof("checked")

  /** The claim is not checked. */
  case object Trusted extends Proof("trusted")
}
