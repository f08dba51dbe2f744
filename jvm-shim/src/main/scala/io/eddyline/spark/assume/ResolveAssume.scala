package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.WithOrigin
import org.apache.spark.sql.types._

import io.eddyline.spark.EddylineErrors

/**
 * Checks the keys of every claim.
 *
 * Errors, at the key: EDDYLINE_ASSUME.KEY_NOT_ALLOWED, KEY_TYPE_NOT_SUPPORTED, UNKNOWN_COLUMN; at
 * the clause: STREAMING_NOT_SUPPORTED.
 */
object ResolveAssume extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case claim: AssumePartitionedBy if claim.child.resolved =>
      if (claim.isStreaming) fail("STREAMING_NOT_SUPPORTED", claim)
      claim.keys.foreach(requireColumns(claim, _))
      if (claim.resolved) claim.keys.foreach(requireFact)
      // Spark resolves `st.x` to a field AS x
      val bare = claim.keys.map { case alias: Alias => alias.child; case other => other }
      if (bare == claim.keys) claim else claim.over(claim.child, bare)
  }

  private def requireColumns(claim: AssumePartitionedBy, key: Expression): Unit =
    key.collectFirst {
      case name: UnresolvedAttribute => name
      case outer: OuterReference => outer
    }.foreach { column =>
      fail("UNKNOWN_COLUMN", column,
        "column" -> EddylineErrors.typed(column),
        "columns" -> claim.output.map(_.name).mkString(", "))
    }

  private def requireFact(key: Expression): Unit = {
    val culprit = key.collectFirst {
      case e: AggregateExpression => e -> "an aggregate function"
      case e: WindowExpression => e -> "a window function"
      case e: SubqueryExpression => e -> "a subquery"
      case e: Generator => e -> "a generator"
      case e if !e.deterministic && e.children.forall(_.deterministic) =>
        e -> "a non-deterministic function"
    }
    culprit.foreach { case (expression, what) =>
      fail("KEY_NOT_ALLOWED", expression, "key" -> EddylineErrors.typed(key), "what" -> what)
    }
    if (key.references.isEmpty) {
      fail("KEY_NOT_ALLOWED", key, "key" -> EddylineErrors.typed(key), "what" -> "no column")
    }
    if (!hasEqualBytes(key.dataType)) {
      fail("KEY_TYPE_NOT_SUPPORTED", key,
        "key" -> EddylineErrors.typed(key), "type" -> key.dataType.sql)
    }
  }

  private def hasEqualBytes(dataType: DataType): Boolean = dataType match {
    case FloatType | DoubleType | VariantType | _: MapType => false
    case array: ArrayType => hasEqualBytes(array.elementType)
    case struct: StructType => struct.forall(field => hasEqualBytes(field.dataType))
    case udt: UserDefinedType[_] => hasEqualBytes(udt.sqlType)
    case _ => true
  }

  private def fail(condition: String, at: WithOrigin, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(s"EDDYLINE_ASSUME.$condition", parameters.toMap, at.origin)
}
