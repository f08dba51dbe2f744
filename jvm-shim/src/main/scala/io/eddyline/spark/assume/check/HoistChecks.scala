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
 * Checks a claim with the keys of the groups of an aggregate, which are fewer than the rows,
 * instead of with a separate scan. The aggregate must be in a stage that ends in an Exchange, whose
 * rows nobody reads before all tasks of the stage are done. The stage must read every key of the
 * files: so there must be no filter below the aggregate, no operator above it that may stop early,
 * and no reader that drops rows because of their other columns. A columnar rule sees the Exchange
 * of each stage, also in adaptive execution.
 */
object HoistChecks extends ColumnarRule with AliasHelper {

  override def preColumnarTransitions: Rule[SparkPlan] = _.transformUp {
    case exchange: ShuffleExchangeExec if !ShuffleShim.isPipelined(exchange) =>
      withKeysCollected(exchange.child).fold[SparkPlan](exchange)(CheckedExchangeExec(
          exchange.outputPartitioning, _, exchange.shuffleOrigin, exchange.advisoryPartitionSize))
  }

  /** Returns a plan that collects the keys where they are fewest; None if no aggregate has them. */
  private def withKeysCollected(plan: SparkPlan): Option[SparkPlan] =
    for {
      (check, above) <- findCheck(plan)
      (highest, keys) <- highestOperatorWithKeys(check.keys, above)
    } yield above.foldLeft[SparkPlan](withoutScan(check)) { (child, operator) =>
      val rebuilt = operator.withNewChildren(Seq(child))
      if (operator eq highest) withCollector(rebuilt, keys) else rebuilt
    }

  /** Returns an operator with a [[CollectKeysExec]] above it, and the same columns. */
  private def withCollector(operator: SparkPlan, keys: Seq[Attribute]): SparkPlan = {
    val dropped = keys.filterNot(operator.outputSet.contains)
    val collect = CollectKeysExec(keys,
      operator match {
        case aggregate: BaseAggregateExec if dropped.nonEmpty =>
          withResultColumns(aggregate, dropped)
        case other => other
      })
    if (dropped.isEmpty) collect else ProjectExec(operator.output, collect)
  }

  /** Returns an aggregate that also has some of its grouping columns in its result. */
  private def withResultColumns(aggregate: BaseAggregateExec, keys: Seq[Attribute]): SparkPlan = {
    val result = aggregate.resultExpressions ++ keys
    aggregate match {
      case hash: HashAggregateExec => hash.copy(resultExpressions = result)
      case sorted: SortAggregateExec => sorted.copy(resultExpressions = result)
      case objects: ObjectHashAggregateExec => objects.copy(resultExpressions = result)
    }
  }

  /** Returns a check that needs no scan, because the keys are collected above it. */
  private def withoutScan(check: VerifyClaimExec): VerifyClaimExec =
    CurrentOrigin.withOrigin(check.origin) {
      val copied = check.copy(keysCollectedAbove = true)
      copied.copyTagsFrom(check)
      copied
    }

  /** Finds a check below operators that read all their rows; returns these too, lowest first. */
  private def findCheck(plan: SparkPlan): Option[(VerifyClaimExec, Seq[SparkPlan])] = plan match {
    case check: VerifyClaimExec if readsWholeFiles(check) => Some(check, Nil)
    case _: ProjectExec | _: FilterExec | _: SortExec | _: BaseAggregateExec | _: WindowExec |
        _: ExpandExec | _: GenerateExec =>
      findCheck(plan.children.head).map { case (check, above) => (check, above :+ plan) }
    case _ => None
  }

  /** Whether each unit is one file, and the query reads the keys of all its rows. */
  private def readsWholeFiles(check: VerifyClaimExec): Boolean = check.child match {
    case units: UnitScanExec =>
      !units.isReplaced && units.columns.isEmpty && !units.layout.isNumbered &&
      units.scan.dataFilters.isEmpty && !units.hasSubquery && findsAllKeys(units)
    case _ => false
  }

  /** Whether the query's scan finds all keys that a scan of the keys alone would find. */
  private def findsAllKeys(units: UnitScanExec): Boolean = units.scan.relation.fileFormat match {
    case _: ParquetFileFormat | _: OrcFileFormat =>
      !new FileSourceOptions(units.scan.relation.options).ignoreCorruptFiles
    case _ => KeyScan(units.scan, units.keys).requiredSchema == units.scan.requiredSchema
  }

  /**
   * Finds the highest operator that has all keys and is an aggregate or above one. Returns it and
   * the keys as its columns.
   *
   * @param keys the keys over the columns of the operator below `above`
   * @param above the operators to look at, the lowest first
   * @param isGrouped whether an aggregate is below `above`
   */
  private def highestOperatorWithKeys(
      keys: Seq[Expression],
      above: Seq[SparkPlan],
      isGrouped: Boolean = false): Option[(SparkPlan, Seq[Attribute])] =
    above.headOption.flatMap { operator =>
      val grouped = isGrouped || operator.isInstanceOf[BaseAggregateExec]
      keysOf(operator, keys).flatMap { known =>
        val isOutput = known.forall(_.references.subsetOf(operator.outputSet))
        val higher = if (isOutput) highestOperatorWithKeys(known, above.tail, grouped) else None
        higher.orElse(Option.when(grouped) {
          operator -> known.collect { case key: Attribute => key } // all are, above an aggregate
        })
      }
    }

  /**
   * Returns the keys as columns of an operator, or as grouping columns that an aggregate leaves out
   * of its result; None if a key cannot be recovered.
   */
  private def keysOf(operator: SparkPlan, keys: Seq[Expression]): Option[Seq[Expression]] =
    operator match {
      case ProjectExec(list, _) => columns(list, keys)
      case aggregate: BaseAggregateExec => columns(aggregate.groupingExpressions, keys)
          .map(grouped => columns(aggregate.resultExpressions, grouped).getOrElse(grouped))
      case _: SortExec => Some(keys)
      case _ => None
    }

  /** Returns the column of a list that has the value of each key; None if a key has none. */
  private def columns(list: Seq[NamedExpression], keys: Seq[Expression]): Option[Seq[Attribute]] = {
    val found = keys.flatMap { key =>
      list.find(column => trimAliases(column).semanticEquals(key)).map(_.toAttribute)
    }
    Option.when(found.size == keys.size)(found)
  }
}
