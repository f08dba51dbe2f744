package io.eddyline.spark.streamingquery.validation

/**
 * Compares the shapes of two definitions of a streaming query. The state must consist of the same,
 * and the offsets must belong to the same streams; nearly all else may change.
 */
private[streamingquery] object ShapeDifferences {
  import Difference.{compatible, incompatible}

  def between(before: QueryShape, after: QueryShape): Seq[Difference] = {
    val otherSources = sources(before.sources, after.sources)
    if (otherSources.nonEmpty) otherSources
    else {
      val found = options(before.sources, after.sources) ++
        operators(before.operators, after.operators) ++ outsideState(before, after)
      val isOther = found.isEmpty && before.nodes != after.nodes
      val all = if (isOther) Seq(compatible("query", None, None, FROM_NOW)) else found
      all.map(difference =>
        difference.copy(
          before = difference.before.map(before.withSourceNames),
          after = difference.after.map(after.withSourceNames)))
    }
  }

  /** Differences of the streams; if there are any, nothing else can be compared. */
  private def sources(before: Seq[SourceShape], after: Seq[SourceShape]): Seq[Difference] = {
    val reordered = before.map(_.identity).toSet == after.map(_.identity).toSet
    before.map(Some(_)).zipAll(after.map(Some(_)), None, None).collect {
      case (old, now) if old.map(_.identity) != now.map(_.identity) =>
        incompatible("source", old.map(_.name), now.map(_.name),
          if (reordered) REORDERED else OTHER_SOURCE)
    }
  }

  private def options(before: Seq[SourceShape], after: Seq[SourceShape]): Seq[Difference] = for {
    (old, now) <- before.zip(after)
    key <- (old.options.keySet ++ now.options.keySet).toSeq.sorted
    if old.options.get(key) != now.options.get(key)
  } yield {
    def shown(source: SourceShape) = source.options.get(key).map(v => s"${source.name} $key $v")
    compatible("source option", shown(old), shown(now), FROM_NOW)
  }

  private def operators(before: Seq[OperatorShape], after: Seq[OperatorShape]): Seq[Difference] =
    if (before.map(_.kind) != after.map(_.kind)) {
      Seq(incompatible("stateful operators", list(before.map(_.kind)), list(after.map(_.kind)),
          "The state belongs to the operators that wrote it."))
    } else {
      for {
        (old, now) <- before.zip(after)
        (part, other) <- old.parts.zip(now.parts)
        difference <- items(old, part.name, part.items, other.items)
      } yield difference
    }

  private def items(
      operator: OperatorShape,
      part: String,
      before: Seq[ComparedExpression],
      after: Seq[ComparedExpression]): Option[Difference] = {
    val (gone, added) = changes(before, after)
    if (before.map(_.tree) == after.map(_.tree)) None
    else if (gone.isEmpty && added.isEmpty) {
      Some(incompatible(part, list(before.map(_.sql)), list(after.map(_.sql)),
          s"The state of ${operator.kind} has them in the order of the old query."))
    } else Some(incompatible(part, list(gone), list(added), reason(operator, part)))
  }

  private def reason(operator: OperatorShape, part: String): String = part match {
    case "key" => s"The state of ${operator.kind} is stored by its keys."
    case "aggregate" =>
      s"The state of ${operator.kind} has the values of exactly these aggregates so far."
    case "option" => s"The state of ${operator.kind} has what exactly these options need so far."
    case _ => s"The state of ${operator.kind} was written with the old one."
  }

  private def outsideState(before: QueryShape, after: QueryShape): Seq[Difference] = {
    def part(
        name: String,
        reason: String,
        of: QueryShape => Seq[ComparedExpression],
        obstacle: Option[String] = None): Option[Difference] = {
      val (gone, added) = changes(of(before), of(after))
      obstacle.filter(_ => gone.nonEmpty || added.nonEmpty)
        .map(incompatible(name, list(gone), list(added), _))
        .orElse(Option.when(gone != added)(compatible(name, list(gone), list(added), reason)))
    }
    Seq(
      part("watermark",
        "The watermark stays where it is; rows are late by the new delay from now on.",
        _.watermarks),
      part("filter", FROM_NOW, _.filters,
        Option.when(leavesUndeletedRows(before, after))(NEVER_DELETED)),
      part("table", FROM_NOW, _.tables),
      part("EMIT", FROM_NOW, _.emit,
        Option.when(before.awaitsClose && !after.awaitsClose)(NEVER_REPORTED)),
      part("output column", "Rows that are written from now on have it.", _.columns)).flatten
  }

  /** Whether the target may keep a row that the new HAVING refuses, as nothing would delete it. */
  private[streamingquery] def leavesUndeletedRows(before: QueryShape, after: QueryShape): Boolean =
    (before.having, after.having) match {
      case (Some(old), Some(now)) => changes(old, now) != ((Nil, Nil))
      case _ => false
    }

  /** What only `before` has, and what only `after` has; as typed if that tells them apart. */
  private def changes(before: Seq[ComparedExpression], after: Seq[ComparedExpression])
      : (Seq[String], Seq[String]) = {
    def without(items: Seq[ComparedExpression], others: Seq[ComparedExpression]) = {
      val left = items.map(_.tree).diff(others.map(_.tree))
      items.filter(item => left.contains(item.tree))
    }
    val (gone, added) = (without(before, after), without(after, before))
    val shown = Seq[ComparedExpression => String](_.sql, traced).find(text =>
      gone.map(text) != added.map(text)).getOrElse((item: ComparedExpression) => item.sql)
    (gone.map(shown), added.map(shown))
  }

  /** Its text with each column replaced by what that is computed from, unless it gets too long. */
  private def traced(item: ComparedExpression): String =
    if (item.lineageSql.length <= MAX_TRACED_LENGTH) item.lineageSql else item.sql

  private def list(texts: Seq[String]): Option[String] =
    Option.when(texts.nonEmpty)(texts.mkString(", "))

  /** A longer text has functions that Spark has added, such as those of a window in a key. */
  private val MAX_TRACED_LENGTH = 100
  private val FROM_NOW = "It applies to rows that arrive from now on; the state stays as it is."
  private val NEVER_REPORTED =
    "Windows that are open now were not reported yet, and would be only if they got more rows."
  private[streamingquery] val NEVER_DELETED =
    "A row that the old condition let through and the new one does not would never be deleted."
  private val OTHER_SOURCE = "The checkpoint has positions in the streams of the old query."
  private val REORDERED =
    "The checkpoint has the positions in the order of the old query's streams."
}
