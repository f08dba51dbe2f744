package io.eddyline.spark.cogroup

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedExtractValue}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedFunction, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.{TreeNodeTag, WithOrigin}
import org.apache.spark.sql.catalyst.util.toPrettySQL

import io.eddyline.spark.EddylineErrors

/**
 * Unites the branches once their keys are resolved, and gives the Aggregate above them its keys.
 *
 * The NOT NULL filter (KIP-150: rows without a key are dropped) stands above the projection, so
 * that a key is evaluated once; Spark pushes it into the scans.
 *
 * Errors, at the odd branch's key: EDDYLINE_COGROUP.AGGREGATE_IN_KEY, KEY_TYPE_MISMATCH,
 * STREAM_EXPECTED, UNQUALIFIED_STAR, WATERMARK_MISSING. They must be raised here: the aggregates
 * above cannot resolve without the union, and Spark's complaint about them would come first.
 */
object ResolveCoGroup extends Rule[LogicalPlan] {

  /** On the Aggregate: its columns with their places, which Spark loses as it resolves them. */
  val COLUMNS_AS_TYPED: TreeNodeTag[Seq[UnresolvedAttribute]] =
    TreeNodeTag("eddyline.cogroup.columnsAsTyped")

  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsUp {
    case cogroup: UnresolvedCoGroup if cogroup.childrenResolved => unite(cogroup)
    case aggregate @ Aggregate(
          Seq(UnresolvedAttribute(Seq(CoGroupUnion.KEYS))), _, union: CoGroupUnion, _) =>
      withKeys(aggregate, union)
  }

  private def unite(cogroup: UnresolvedCoGroup): LogicalPlan = {
    val branches = cogroup.branches.map { case branch: CoGroupBranch => branch }
    val types = branches.map(_.keys).transpose.zipWithIndex.map { case (keys, position) =>
      keys.foreach(checkKey)
      CoGroupKeyType.common(keys.map(_.dataType)).getOrElse(mismatch(branches, position))
    }
    checkStreams(branches, cogroup.windows)
    val names = cogroup.names.zip(cogroup.windows).zip(branches.head.keys).map {
      case ((name, window), key) => name.getOrElse(window.fold(nameOf(key))(_.call.nameParts.last))
    }
    CoGroupUnion(
      names,
      cogroup.windows,
      branches.map(_.alias),
      branches.map(_.output.size),
      Union(branches.indices.map(padded(branches, _, types))))
  }

  private def padded(
      branches: Seq[CoGroupBranch], own: Int, types: Seq[org.apache.spark.sql.types.DataType]) = {
    val branch = branches(own)
    val tag = Alias(Literal(CoGroupUnion.bit(own)), CoGroupUnion.TAG)()
    val keys = branch.keys.zip(types).zipWithIndex.map { case ((key, dataType), i) =>
      val bare = key match { // Spark resolves `st.x` to a field AS x
        case alias: Alias => alias.child
        case other => other
      }
      val typed = if (key.dataType == dataType) bare else Cast(bare, dataType)
      Alias(typed, s"__eddyline_key_$i")()
    }
    // New ids for all columns: the same table may be a branch twice.
    val columns = branches.zipWithIndex.flatMap { case (other, i) =>
      other.output.map { column =>
        val value = if (i == own) column else Literal(null, column.dataType)
        Alias(value, column.name)(qualifier = column.qualifier)
      }
    }
    val project = Project((tag +: keys) ++ columns, branch.child)
    keys.map(_.toAttribute).filter(_.nullable).map(IsNotNull(_): Expression).reduceOption(And(_, _))
      .fold[LogicalPlan](project)(Filter(_, project))
  }

  private def withKeys(aggregate: Aggregate, union: CoGroupUnion): Aggregate = {
    aggregate.aggregateExpressions.foreach(checkStar(_, union))
    val groups = union.keys.zip(union.windows).map { case (key, window) =>
      window.fold[Expression](key)(w => w.call.copy(arguments = key +: w.call.arguments.drop(1)))
    }
    val keyColumns = groups.zip(union.names).map { case (group, name) => Alias(group, name)() }
    val named = union.names.zip(groups)
    val aggregates = aggregate.aggregateExpressions.map(
      _.transformUp { case column: UnresolvedAttribute => keyOrColumn(column, named, union) })
    val resolvable = aggregate.copy(
      groupingExpressions = groups,
      aggregateExpressions = keyColumns ++ aggregates.map { case named: NamedExpression => named })
    resolvable.setTagValue(COLUMNS_AS_TYPED, aggregates.flatMap(_.collect {
      case column: UnresolvedAttribute => column
    }))
    resolvable
  }

  private def checkStar(expression: Expression, union: CoGroupUnion): Unit = expression match {
    case star @ UnresolvedStar(None) =>
      fail("UNQUALIFIED_STAR", star, "alias" -> union.aliases.head)
    case UnresolvedFunction(name, Seq(UnresolvedStar(None)), false, _, _, _, _)
        if name.last.equalsIgnoreCase("count") =>
    case other => other.children.foreach(checkStar(_, union))
  }

  /** An unqualified name is a key before it is a column of a branch. */
  private def keyOrColumn(
      column: UnresolvedAttribute,
      keys: Seq[(String, Expression)],
      union: CoGroupUnion): Expression = {
    val isAlias = column.nameParts.size > 1 &&
      union.aliases.exists(conf.resolver(_, column.nameParts.head))
    keys.collectFirst {
      case (name, key) if !isAlias && conf.resolver(name, column.nameParts.head) =>
        column.nameParts.tail.foldLeft(key)((value, field) =>
          UnresolvedExtractValue(value, Literal(field)))
    }.getOrElse(column)
  }

  private def nameOf(key: Expression): String = key match {
    case attribute: Attribute => attribute.name
    case alias: Alias => alias.name
    case other => toPrettySQL(other)
  }

  private def checkKey(key: Expression): Unit =
    key.collectFirst { case aggregate: AggregateExpression => aggregate }.foreach { _ =>
      fail("AGGREGATE_IN_KEY", key, "key" -> toPrettySQL(key))
    }

  private def mismatch(branches: Seq[CoGroupBranch], position: Int): Nothing = {
    val first = branches.head
    val firstType = first.keys(position).dataType
    val odd = branches.find(branch =>
      CoGroupKeyType.common(Seq(firstType, branch.keys(position).dataType)).isEmpty).get
    fail("KEY_TYPE_MISMATCH", odd.keys(position),
      "position" -> (position + 1).toString,
      "alias" -> odd.alias, "type" -> odd.keys(position).dataType.sql,
      "firstAlias" -> first.alias, "firstType" -> firstType.sql)
  }

  /**
   * Spark takes the watermark of a union's column from its first child alone, so a branch without
   * one would lose rows in silence, and a batch branch is refused late and without a position.
   */
  private def checkStreams(branches: Seq[CoGroupBranch], windows: Seq[Option[WindowKey]]): Unit =
    if (branches.exists(_.isStreaming)) {
      branches.find(!_.isStreaming).foreach(branch =>
        fail("STREAM_EXPECTED", branch.child, "alias" -> branch.alias))
      windows.zipWithIndex.collect { case (Some(_), i) => i }.foreach { i =>
        val (with_, without) = branches.partition(branch => hasWatermark(branch.keys(i)))
        if (with_.nonEmpty) without.headOption.foreach(branch =>
          fail("WATERMARK_MISSING", branch.keys(i),
            "alias" -> branch.alias, "time" -> toPrettySQL(branch.keys(i))))
      }
    }

  private def hasWatermark(time: Expression): Boolean = time match {
    case column: Attribute => column.metadata.contains(EventTimeWatermark.delayKey)
    case _ => false
  }

  private def fail(condition: String, at: WithOrigin, parameters: (String, String)*): Nothing =
    throw EddylineErrors.analysis(s"EDDYLINE_COGROUP.$condition", parameters.toMap, at.origin)
}
