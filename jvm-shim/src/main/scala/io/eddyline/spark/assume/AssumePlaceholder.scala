package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin

import io.eddyline.spark.assume.claim.{AssumePartitionedBy, Enforcement, Layout}
import io.eddyline.spark.assume.report.CheckAssumptionCommand
import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.placeholder.{Placeholder, PlaceholderArguments, SelectStar}

/**
 * Reads the clause `__eddyline_assume(TABLE(SELECT * FROM relation), enforced => 'full',
 * keys => array(…), violation => 'repartition')`, where `layout => 'name'`, `partitions => 8` and
 * `hash => 'spark'` may precede `violation`, and the statement
 * `__eddyline_check_assumption(TABLE(SELECT * FROM relation), keys => array(…), count => 10)`.
 *
 * Errors: EDDYLINE_SYNTAX.FEATURE_REMOVED for `enforced => 'sample'`, which a stored view may have.
 */
object AssumePlaceholder extends Placeholder {

  override def node(call: PlaceholderArguments): Option[LogicalPlan] =
    Option.when(call.function == "__eddyline_assume")(claim(call))

  private def claim(call: PlaceholderArguments): LogicalPlan = {
    call.requireKnown()
    if (call.text("enforced").contains("sample")) {
      EddylineErrors.fail("EDDYLINE_SYNTAX.FEATURE_REMOVED", call.place("enforced"),
        "feature" -> "ENFORCED SAMPLE", "hint" -> "Write ENFORCED or NOT ENFORCED.")
    }
    val enforcement = (call.text("enforced"), call.text("violation")) match {
      case (Some("full"), Some("repartition")) => Enforcement.Repartition
      case (Some("full"), Some("fail")) => Enforcement.Fail
      case (Some("no"), Some(_)) => Enforcement.NotEnforced
      case _ => call.refused()
    }
    CurrentOrigin.withOrigin(call.place("enforced")) {
      AssumePartitionedBy(keys(call), layout(call), enforcement, SelectStar.below(call.query))
    }
  }

  private def keys(call: PlaceholderArguments): Seq[Expression] = {
    val found = call.expressions("keys")
    if (found.isEmpty) call.refused()
    found
  }

  private def layout(call: PlaceholderArguments): Layout = {
    val size = call.expression("partitions").map {
      case Literal(size: Int, _) if size > 0 => size
      case _ => call.refused()
    }
    val hash = call.text("hash")
    if (hash.exists(_ != "spark") || hash.isDefined && size.isEmpty) call.refused()
    Layout(call.text("layout"), size, hash.isDefined)
  }

  /** Reads a statement. It becomes a command at the root, so that every client runs it once. */
  override def statement(
      call: PlaceholderArguments, lowered: String => String): Option[LogicalPlan] =
    Option.when(call.function == "__eddyline_check_assumption") {
      val relation = SelectStar.below(call.query)
      val limit = call.expression("count").fold(CheckAssumptionCommand.LIMIT) {
        case Literal(limit: Int, _) => limit
        case _ => call.refused()
      }
      CheckAssumptionCommand(
        AssumePartitionedBy(keys(call), Layout.Unnumbered, Enforcement.Repartition, relation),
        limit)
    }
}
