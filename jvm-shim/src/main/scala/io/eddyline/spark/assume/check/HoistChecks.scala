package io.eddyline.spark.assume.check

import org.apache.spark.sql.catalyst.FileSourceOptions
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.execution._
import org.apache.spark.sql.execution.aggregate._
import org.apache.spark.sql.execution.datasources.orc.OrcFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.exchange.ShuffleExchangeExec
import org.apache.spark.sql.execution.window.WindowExec

import io.eddyline.spark.assume.units.{KeyScan, UnitScanExec}
import io.eddyline.spark.shim.ShuffleShim

/**
 * Lets a stage that aggregates claimed files check the claim with the keys of its groups, which are
 * fewer than the rows, instead of with a separate scan. This needs an Exchange above, which
 * withholds the rows of the stage until all its tasks are done. The stage must also read every key
 * of the files: no filter below the aggregate, no operator above that may stop early, and no reader
 * that drops rows because of their other columns.
 */
object HoistChecks extends ColumnarRule with AliasHelper {

  override def preColumnarTransitions: Rule[SparkPlan] = _.transformUp {
    case exchange: ShuffleExchangeExec if !ShuffleShim.isPipelined(exchange) =>
      collecting(exchange.child).fold[SparkPlan](exchange)(CheckedExchangeExec(
          exchange.outputPartitioning, _, exchange.shuffleOrigin, exchange.advisoryPartitionSize))
  }

  /** The plan with the keys collected as high as possible; None if no aggregate groups by them. */
  private def collecting(plan: SparkPlan): Option[SparkPlan] =
    for {
      (check, above) <- pathTo(plan)
      (place, keys) <- highest(check.keys, above)
    } yield above.foldLeft[SparkPlan](marked(check)) { (child, operator) =>
      val moved = operator.withNewChildren(Seq(child))
      if (operator eq place) withCollector(moved, keys) else moved
    }

  private def withCollector(operator: SparkPlan, keys: Seq[Attribute]): SparkPlan = {
    val dropped = keys.filterNot(operator.outputSet.contains)
    val collect = CollectKeysExec(keys,
      operator match {
        case aggregate: BaseAggregateExec if dropped.nonEmpty => giving(aggregate, dropped)
        case other => other
      })
    if (dropped.isEmpty) collect else ProjectExec(operator.output, collect)
  }

  private def giving(aggregate: BaseAggregateExec, keys: Seq[Attribute]): SparkPlan = {
    val result = aggregate.resultExpressions ++ keys
    aggregate match {
      case hash: HashAggregateExec => hash.copy(resultExpressions = result)
      case sorted: SortAggregateExec => sorted.copy(resultExpressions = result)
      case objects: ObjectHashAggregateExec => objects.copy(resultExpressions = result)
    }
  }

  private def marked(check: VerifyClaimExec): VerifyClaimExec =
    CurrentOrigin.withOrigin(check.origin) {
      val marked = check.copy(hoisted = true)
      marked.copyTagsFrom(check)
      marked
    }

  /** A check below operators that read all rows of their child, and these, the lowest first. */
  private def pathTo(plan: SparkPlan): Option[(VerifyClaimExec, Seq[SparkPlan])] = plan match {
    case check: VerifyClaimExec if isOfWholeFiles(check) => Some(check, Nil)
    case _: ProjectExec | _: FilterExec | _: SortExec | _: BaseAggregateExec | _: WindowExec |
        _: ExpandExec | _: GenerateExec =>
      pathTo(plan.children.head).map { case (check, above) => (check, above :+ plan) }
    case _ => None
  }

  private def isOfWholeFiles(check: VerifyClaimExec): Boolean = check.child match {
    case units: UnitScanExec =>
      !units.isForeign && units.columns.isEmpty && !units.layout.isNumbered &&
      units.scan.dataFilters.isEmpty && !units.hasSubquery && readsKeysAlone(units)
    case _ => false
  }

  /** Whether the other columns that are read cannot change which keys are found. */
  private def readsKeysAlone(units: UnitScanExec): Boolean = units.scan.relation.fileFormat match {
    case _: ParquetFileFormat | _: OrcFileFormat =>
      !new FileSourceOptions(units.scan.relation.options).ignoreCorruptFiles
    case _ => KeyScan(units.scan, units.keys).requiredSchema == units.scan.requiredSchema
  }

  /** The highest operator, an aggregate or above one, at which all keys are known, and the keys. */
  private def highest(
      keys: Seq[Expression],
      above: Seq[SparkPlan],
      isGrouped: Boolean = false): Option[(SparkPlan, Seq[Attribute])] =
    above.headOption.flatMap { operator =>
      val grouped = isGrouped || operator.isInstanceOf[BaseAggregateExec]
      keysOf(operator, keys).flatMap { known =>
        val isGiven = known.forall(_.references.subsetOf(operator.outputSet))
        val higher = if (isGiven) highest(known, above.tail, grouped) else None
        higher.orElse(Option.when(grouped) {
          operator -> known.collect { case key: Attribute => key }
        })
      }
    }

  /** The keys in an operator's rows, even if an aggregate drops them; None if one is lost. */
  private def keysOf(operator: SparkPlan, keys: Seq[Expression]): Option[Seq[Expression]] =
    operator match {
      case ProjectExec(list, _) => columns(list, keys)
      case aggregate: BaseAggregateExec => columns(aggregate.groupingExpressions, keys)
          .map(grouped => columns(aggregate.resultExpressions, grouped).getOrElse(grouped))
      case _: SortExec => Some(keys)
      case _ => None
    }

  private def columns(list: Seq[NamedExpression], keys: Seq[Expression]): Option[Seq[Attribute]] = {
    val found = keys.flatMap { key =>
      list.find(column => trimAliases(column).semanticEquals(key)).map(_.toAttribute)
    }
    Option.when(found.size == keys.size)(found)
  }
}
