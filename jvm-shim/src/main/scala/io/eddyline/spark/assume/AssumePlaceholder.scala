package io.eddyline.spark.assume

import org.apache.spark.sql.catalyst.analysis.UnresolvedTableValuedFunction
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.unsafe.types.UTF8String

import io.eddyline.spark.assume.claim.{AssumePartitionedBy, Enforcement, Layout}
import io.eddyline.spark.assume.report.CheckAssumptionCommand
import io.eddyline.spark.base.EddylineErrors
import io.eddyline.spark.placeholder.{Placeholder, SelectStar}

/**
 * Reads the clause `__eddyline_assume(TABLE(SELECT * FROM relation), enforced => 'full',
 * keys => array(…), violation => 'repartition')`, where `layout => 'name'`, `partitions => 8` and
 * `hash => 'spark'` may precede `violation`, and the statement
 * `__eddyline_check_assumption(TABLE(SELECT * FROM relation), keys => array(…), count => 10)`.
 *
 * Errors: EDDYLINE_SYNTAX.FEATURE_REMOVED for `enforced => 'sample'`, which a stored view may have.
 */
object AssumePlaceholder extends Placeholder {
  private val NAME = "__eddyline_assume"
  private val CHECK = "__eddyline_check_assumption"
  private val REQUIRED = Seq("enforced", "keys", "violation")

  override def node(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, NAME))(claim(f))

  private def claim(f: UnresolvedTableValuedFunction): LogicalPlan = {
    val arguments = f.functionArgs.drop(1).collect {
      case NamedArgumentExpression(name, value) => name -> value
    }.toMap
    arguments.get("enforced").filter(_.toString == "sample").foreach { sample =>
      EddylineErrors.fail("EDDYLINE_SYNTAX.FEATURE_REMOVED", sample.origin,
        "feature" -> "ENFORCED SAMPLE", "hint" -> "Write ENFORCED or NOT ENFORCED.")
    }
    val claim =
      for {
        relation <- table(f)
        enforced <- arguments.get("enforced")
        violation <- arguments.get("violation")
        enforcement <- Enforcement.byName(enforced.toString, violation.toString)
        keys <- arguments.get("keys").map(_.children).filter(_.nonEmpty)
        layout <- layout(arguments -- REQUIRED)
      } yield CurrentOrigin.withOrigin(enforced.origin) {
        AssumePartitionedBy(keys, layout, enforcement, relation)
      }
    claim.getOrElse(throw Placeholder.refused(NAME, f.origin))
  }

  private def layout(options: Map[String, Expression]): Option[Layout] =
    options.foldLeft(Option(Layout.Unnumbered)) {
      case (Some(layout), ("layout", Literal(name: UTF8String, _))) =>
        Some(layout.copy(name = Some(name.toString)))
      case (Some(layout), ("partitions", Literal(size: Int, _))) if size > 0 =>
        Some(layout.copy(size = Some(size)))
      case (Some(layout), ("hash", Literal(name: UTF8String, _))) if name.toString == "spark" =>
        Some(layout.copy(hashed = true))
      case _ => None
    }.filter(layout => layout.size.isDefined || !layout.hashed)

  /** Reads a statement, which becomes a command at the root of the plan. */
  override def statement(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    Option.when(Placeholder.isCalled(f, CHECK))(check(f))

  private def check(f: UnresolvedTableValuedFunction): LogicalPlan = {
    def claim(relation: LogicalPlan, keys: Expression) =
      AssumePartitionedBy(keys.children, Layout.Unnumbered, Enforcement.Repartition, relation)
    (table(f), f.functionArgs.drop(1)) match {
      case (Some(relation), Seq(NamedArgumentExpression("keys", keys))) =>
        CheckAssumptionCommand(claim(relation, keys), CheckAssumptionCommand.LIMIT)
      case (Some(relation),
            Seq(NamedArgumentExpression("keys", keys),
              NamedArgumentExpression("count", Literal(limit: Int, _)))) =>
        CheckAssumptionCommand(claim(relation, keys), limit)
      case _ => throw Placeholder.refused(CHECK, f.origin)
    }
  }

  private def table(f: UnresolvedTableValuedFunction): Option[LogicalPlan] =
    f.functionArgs.headOption.collect { case argument: FunctionTableSubqueryArgumentExpression =>
      SelectStar.below(argument.plan)
    }
}
