package io.eddyline.spark.assume.claim

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}
import org.apache.spark.sql.catalyst.expressions.objects.StaticInvoke
import org.apache.spark.sql.catalyst.plans.physical._
import org.apache.spark.sql.catalyst.util.{quoteIdentifier, toPrettySQL}
import org.apache.spark.sql.execution.{FileSourceScanExec, SparkPlan}
import org.apache.spark.sql.execution.exchange.ShuffleExchangeLike

/** Formats claims for EXPLAIN and for error messages. */
private[spark] object ClaimText {

  /** Without qualifiers, and without the padding that Spark adds to a CHAR column. */
  private def asTyped(expression: Expression): Expression = expression.transformUp {
    case column: AttributeReference => column.withQualifier(Nil)
    case padded: StaticInvoke if padded.functionName == "readSidePadding" => padded.arguments.head
  }

  def keys(expressions: Seq[Expression]): String =
    expressions.map(key => toPrettySQL(asTyped(key))).mkString(", ")

  /** The keys as SQL, with the casts that [[keys]] leaves out. */
  def sql(expressions: Seq[Expression]): String = expressions.map(asTyped(_).sql).mkString(", ")

  def list(expressions: Seq[Expression]): String = s"[${keys(expressions)}]"

  /** The name of an operator, without its arguments. */
  def operator(plan: SparkPlan): String = plan.nodeName.takeWhile(_ != '(').trim

  /** Returns the nearest operator that needs rows with equal keys together, or all rows. */
  def consumerNode(above: List[SparkPlan]): Option[SparkPlan] =
    above.find(_.requiredChildDistribution.exists(_ != UnspecifiedDistribution))

  def consumer(above: List[SparkPlan]): String = consumerNode(above).fold("the result")(operator)

  /** How an Exchange distributes rows; `keys` formats the keys by which it does. */
  def exchange(exchange: ShuffleExchangeLike, keys: Seq[Expression] => String): String =
    exchange.outputPartitioning match {
      case hash: HashPartitioningLike => keys(hash.expressions)
      case SinglePartition => "single"
      case range: RangePartitioning => s"range(${keys(range.ordering.map(_.child))})"
      case _: RoundRobinPartitioning => "round robin"
      case other => other.getClass.getSimpleName
    }

  /** The table's name, or the paths that are read. */
  def relation(scan: FileSourceScanExec): String = scan.tableIdentifier.map(_.unquotedString)
    .getOrElse(scan.relation.location.rootPaths.mkString(", "))

  /** The statement that lists the keys of the table or first path that are in several units. */
  def check(keys: Seq[Expression], layout: Layout, scan: FileSourceScanExec): String = {
    val relation = scan.tableIdentifier.map(_.quotedString).getOrElse {
      val format = scan.relation.toString
      s"$format.${quoteIdentifier(scan.relation.location.rootPaths.head.toString)}"
    }
    if (layout.isNumbered) {
      val number = "int(regexp_extract(_metadata.file_name, '^part-([0-9]+)'))"
      s"SELECT ${sql(keys)} FROM $relation GROUP BY ALL HAVING count(DISTINCT $number) > 1"
    } else {
      s"CHECK ASSUMPTION ON $relation PARTITIONED BY (${sql(keys)})"
    }
  }
}
