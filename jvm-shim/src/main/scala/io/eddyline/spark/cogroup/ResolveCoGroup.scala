package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.toPrettySQL
import org.apache.spark.sql.types.{DataType, IntegerType}

import io.eddyline.spark.base.EddylineErrors

/**
 * Builds the union of branches whose keys are resolved, and adds the keys to the Aggregate above.
 *
 * Rows whose key is NULL are dropped (KIP-150). The filter is above the projection, so that a key
 * is evaluated once; Spark pushes it into the scans.
 *
 * Errors, at the key of the offending branch: EDDYLINE_COGROUP.AGGREGATE_IN_KEY, KEY_TYPE_MISMATCH,
 * STREAM_EXPECTED, WATERMARK_MISSING. They must be raised here: the aggregates above cannot resolve
 * without the union, and Spark's error about them would come first.
 */
object ResolveCoGroup extends Rule[LogicalPlan] {

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case cogroup: UnresolvedCoGroup if cogroup.hasResolvedBranches => buildUnion(cogroup)
    case aggregate @ Aggregate(
          Seq(UnresolvedAttribute(Seq(CoGroupUnion.KEYS))), _, union: CoGroupUnion, _) =>
      withKeys(aggregate, union)
    case node: UnaryNode if !node.resolved => BranchStars.resolveAbove(node)
  }

  private def buildUnion(cogroup: UnresolvedCoGroup): LogicalPlan = {
    val branches = cogroup.branches.map { case branch: CoGroupBranch => branch }
    for {
      branch <- branches
      (key, place) <- branch.keys.zip(branch.places)
      if key.exists(_.isInstanceOf[AggregateExpression])
    } EddylineErrors.fail("EDDYLINE_COGROUP.AGGREGATE_IN_KEY", place, "key" -> toPrettySQL(key))
    val types = branches.map(_.keys).transpose.zipWithIndex.map { case (keys, position) =>
      CoGroupKeyType.common(keys.map(_.dataType)).getOrElse(failTypeMismatch(branches, position))
    }
    checkStreams(branches)
    val names = cogroup.names.zip(cogroup.windows).zip(branches.head.keys).map {
      case ((name, window), key) => name.getOrElse(window.fold(nameOf(key))(_.call.nameParts.last))
    }
    CoGroupUnion(
      names,
      cogroup.windows,
      branches.map(_.alias),
      branches.map(_.output.size),
      Union(keyColumns(branches, names.zip(types)).zipWithIndex.map { case (keys, own) =>
        paddedBranch(branches, own, keys)
      }))
  }

  /** Returns the columns of the keys in each branch, all of the common types. */
  private def keyColumns(
      branches: Seq[CoGroupBranch], keyTypes: Seq[(String, DataType)]): Seq[Seq[Alias]] =
    branches.map(_.keys).transpose.zip(keyTypes).map { case (keys, (name, dataType)) =>
      CharColumns.keyColumns(keys.map(withoutAlias), name).map(column =>
        if (DataTypeUtils.sameType(column.dataType, dataType)) column
        else Alias(Cast(column.child, dataType), name)())
    }.transpose

  /** Returns a branch with the columns of the union. */
  private def paddedBranch(
      branches: Seq[CoGroupBranch], own: Int, keys: Seq[Alias]): LogicalPlan = {
    val branch = branches(own)
    val tag = Alias(Literal(CoGroupUnion.bit(own)), CoGroupUnion.TAG)()
    val indicators = branches.zipWithIndex.map { case (other, i) =>
      Alias(if (i == own) Literal(1) else Literal(null, IntegerType), s"${other.alias}.*")()
    }
    // All columns get new ids, because the same table may be a branch twice.
    val columns = branches.zipWithIndex.flatMap { case (other, i) =>
      other.output.map(column =>
        if (i == own) Alias(column, column.name)(qualifier = column.qualifier)
        else CharColumns.nullColumn(column))
    }
    val project = Project((tag +: keys) ++ indicators ++ columns, branch.child)
    keys.map(_.toAttribute).filter(_.nullable).map(IsNotNull(_): Expression).reduceOption(And(_, _))
      .fold[LogicalPlan](project)(Filter(_, project))
  }

  /** Returns an Aggregate that groups by the keys and has them as its first columns. */
  private def withKeys(aggregate: Aggregate, union: CoGroupUnion): Aggregate = {
    val groups = union.keys.zip(union.windows).map { case (key, window) =>
      window.fold[Expression](key)(w => w.call.copy(arguments = key +: w.call.arguments.drop(1)))
    }
    // A key keeps its id, by which ORDER BY and HAVING find it in an aggregate that they add.
    val keyColumns = groups.zip(union.names).map {
      case (key: Attribute, _) if key.resolved => key
      case (window, name) => Alias(window, name)()
    }
    val windows = union.names.zip(groups).filter { case (_, group) => !group.resolved }
    val aggregates = aggregate.aggregateExpressions.map(expression =>
      withWindows(BranchStars.resolveSelectItem(expression, union), windows, union))
    val typed = aggregates.flatMap(_.collect {
      case column: UnresolvedAttribute => column.nameParts -> column.origin
      case column: UnresolvedNamedLambdaVariable => column.nameParts -> column.origin
    })
    aggregate.copy(
      groupingExpressions = groups,
      aggregateExpressions = keyColumns ++ aggregates.map { case named: NamedExpression => named },
      child = union.copy(columnsAsTyped = typed))
  }

  /** Replaces the names of windows by their calls, since a window is not a column of the union. */
  private def withWindows(
      expression: Expression,
      windows: Seq[(String, Expression)],
      union: CoGroupUnion): Expression = {
    def window(nameParts: Seq[String]): Expression = {
      val isAlias = nameParts.size > 1 && union.aliases.exists(conf.resolver(_, nameParts.head))
      windows.collectFirst {
        case (name, call) if !isAlias && conf.resolver(name, nameParts.head) =>
          nameParts.tail.foldLeft(call)((value, field) =>
            UnresolvedExtractValue(value, Literal(field)))
      }.getOrElse(expression)
    }
    expression match {
      case column: UnresolvedAttribute => window(column.nameParts)
      case column: UnresolvedNamedLambdaVariable => window(column.nameParts)
      case lambda @ LambdaFunction(body, arguments, _) =>
        val free = windows.filterNot { case (name, _) =>
          arguments.exists(argument => conf.resolver(argument.name, name))
        }
        lambda.copy(function = withWindows(body, free, union))
      case other => other.mapChildren(withWindows(_, windows, union))
    }
  }

  /** Returns a key without the alias `x` that Spark adds when it resolves a field `st.x`. */
  private def withoutAlias(key: Expression): Expression = key match {
    case alias: Alias => alias.child
    case other => other
  }

  private def nameOf(key: Expression): String = key match {
    case attribute: Attribute => attribute.name
    case alias: Alias => alias.name
    case other => toPrettySQL(other)
  }

  private def failTypeMismatch(branches: Seq[CoGroupBranch], position: Int): Nothing = {
    def typeOf(branch: CoGroupBranch) = branch.keys(position).dataType
    // of types without a common one, two have none
    val pairs = for (i <- branches.indices; j <- 0 until i) yield (branches(i), branches(j))
    val (odd, first) = pairs.find { case (branch, before) =>
      CoGroupKeyType.common(Seq(typeOf(before), typeOf(branch))).isEmpty
    }.get
    EddylineErrors.fail("EDDYLINE_COGROUP.KEY_TYPE_MISMATCH", odd.places(position),
      "position" -> (position + 1).toString,
      "alias" -> odd.alias, "type" -> typeOf(odd).sql,
      "firstAlias" -> first.alias, "firstType" -> typeOf(first).sql)
  }

  /**
   * Refuses a batch branch among streams, which Spark refuses late and without a position, and keys
   * with a watermark in some branches only. Spark takes the watermark of a union's column from its
   * first child: if that has one, rows of a branch without one are dropped silently; if it has
   * none, no state is ever removed. This is so for all keys with a watermark, also for a window
   * that a subquery computes.
   */
  private def checkStreams(branches: Seq[CoGroupBranch]): Unit =
    if (branches.exists(_.isStreaming)) {
      branches.find(!_.isStreaming).foreach(branch =>
        EddylineErrors.fail(
          "EDDYLINE_COGROUP.STREAM_EXPECTED", branch.child.origin, "alias" -> branch.alias))
      branches.head.keys.indices.foreach { i =>
        val (with_, without) = branches.partition(branch => hasWatermark(branch.keys(i)))
        if (with_.nonEmpty) without.headOption.foreach(branch =>
          EddylineErrors.fail("EDDYLINE_COGROUP.WATERMARK_MISSING", branch.places(i),
            "alias" -> branch.alias, "time" -> toPrettySQL(branch.keys(i))))
      }
    }

  /** Whether the key's column in the union carries a watermark. */
  private def hasWatermark(key: Expression): Boolean =
    Alias(withoutAlias(key), nameOf(key))().metadata.contains(EventTimeWatermark.delayKey)
}
