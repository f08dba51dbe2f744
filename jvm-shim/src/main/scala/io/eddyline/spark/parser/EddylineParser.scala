package io.eddyline.spark.parser

import org.apache.spark.internal.Logging
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreeNode
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

import io.eddyline.spark.base.EddylineConf
import io.eddyline.spark.parser.sidecar.{Reply, Sidecar}
import io.eddyline.spark.parser.view.{LoweredQueryText, ViewText}
import io.eddyline.spark.placeholder.{Placeholder, StatementText}
import io.eddyline.spark.shim.ParserShim

/**
 * Spark's parser extended by eddyline's clauses. Spark (`delegate`) parses a text first; only a
 * text that it rejects is lowered and parsed again, so ordinary SQL keeps its meaning and its cost.
 *
 * Errors: EDDYLINE_<CLAUSE>.* as `ParseException` at the offending word; EDDYLINE_SIDECAR.* if the
 * text may contain a clause and cannot be lowered; else Spark's own, at their position as typed.
 *
 * @param clauses the readers of the placeholders that the lowering writes for the clauses
 */
class EddylineParser(
    session: SparkSession, protected val delegate: ParserInterface, clauses: Seq[Placeholder])
  extends ParserShim with Logging {
  private val lowering = new LoweredQueryText(delegate)
  private val placeholders = new PlaceholderResolver(clauses, lowering)

  override def parsePlan(text: String): LogicalPlan = read(text, delegate.parsePlan)

  override def parseQuery(text: String): LogicalPlan = read(text, delegate.parseQuery)

  /** Parses the text of `selectExpr` or `where`, which may contain a clause in a subquery. */
  override def parseExpression(text: String): Expression = read(text, delegate.parseExpression)

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan = {
    val typed = delegate.parsePlanWithParameters(_: String, context)
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly) read(text, typed)
    else {
      def values(lowered: String) = ParameterHandler.substituteParameters(lowered, context)._2
      read(text, typed, delegate.parsePlan, Some(values))
    }
  }

  private def read[T <: TreeNode[_]](text: String, parse: String => T): T =
    read(text, parse, parse, None)

  /**
   * Parses a text as typed, and if Spark rejects that, as lowered.
   *
   * @param parse parses the lowered text, which has values in the place of parameter markers
   * @param markers puts the values into a text; None if the text may have no markers
   */
  private def read[T <: TreeNode[_]](
      text: String,
      parseTyped: String => T,
      parse: String => T,
      markers: Option[String => PositionMapper]): T =
    try placeholders.resolve(text, parseTyped(text))
    catch {
      case refused: ParseException if enabled =>
        val typed = new VariableSubstitution().substitute(text)
        reply(typed, refused) match {
          case Reply.Unchanged => throw NearMisses.explain(typed, refused)
          case Reply.Refused(condition, parameters, start, stop, _) =>
            throw SourceMap.parseError(typed, condition, parameters, start, stop)
          case Reply.Lowered(newText, edits, _) =>
            val lowered = new SourceMap(typed, newText, edits)
            val values = markers.toList
              .flatMap(of => located(lowered)(lowered.values(lowered.within(of(newText)))))
            val tree =
              if (values.isEmpty) readLowered(lowered, parse, lowered.typedPart)
              else readWithValues(typed, values, parse)
            withVariables(text, typed, values, tree)
        }
    }

  /**
   * Parses a text with values in the place of its parameter markers. Spark alone can tell where a
   * marker stands, and only in a text that it understands, the lowered one. With the values the
   * text is lowered again, so that a reader sees the number or string that it has to check, and a
   * stored text has no markers.
   */
  private def readWithValues[T <: TreeNode[_]](
      typed: String, values: List[Substitution], parse: String => T): T = {
    val text = SourceMap.replaced(typed, values, 0, typed.length)
    val given = new SourceMap(typed, text, values)
    Sidecar.read(text) match {
      case Reply.Refused(condition, parameters, from, to, _) =>
        val (start, stop) = given.typedRange(from, to)
        throw SourceMap.parseError(typed, condition, parameters, start, stop)
      case Reply.Lowered(newText, edits, _) =>
        val lowered = new SourceMap(text, newText, edits)
        readLowered(given.andThen(lowered), parse, lowered.typedPart)
      case Reply.Unchanged => readLowered(given, parse, given.typedPart)
    }
  }

  /**
   * Gives a command that stores its statement the text with variables, such as `${env:X}`, and with
   * the values of parameters, of which each marker stands behind the same variables in both texts.
   */
  private def withVariables[T](
      text: String, typed: String, values: List[Substitution], tree: T): T = tree match {
    case command: StatementText if text != typed =>
      val substitution = new VariableSubstitution()
      val kept = values.flatMap { value =>
        val marker = typed.substring(value.start, value.end)
        Iterator.iterate(text.indexOf(marker))(at => text.indexOf(marker, at + 1))
          .takeWhile(_ >= 0)
          .find(at => substitution.substitute(text.substring(0, at)).length == value.start)
          .map(at => value.copy(location = ParameterLocation(at, at + marker.length)))
      }
      command.withText(SourceMap.replaced(text, kept, 0, text.length)).asInstanceOf[T]
    case other => other
  }

  private def readLowered[T <: TreeNode[_]](
      positions: SourceMap, parse: String => T, typedPart: String => String): T =
    located(positions) {
      val tree = positions.within(readUnchanged(positions.lowered, parse))
      def stored(query: String): String = ViewText.stored(query, typedPart(query))
      new PlaceholderResolver(clauses, lowering, stored)
        .resolve(positions.lowered, OriginRelocator(tree, positions))
    }

  /** Moves a syntax error in the lowered text to the typed text. */
  private def located[T](positions: SourceMap)(parse: => T): T =
    try parse
    catch {
      case e: ParseException =>
        throw NearMisses.explain(positions.typedText, positions.toTyped(e))
    }

  /**
   * Parses a text in which Spark's parser replaces no variables: those of the typed text have been
   * replaced, and what looks like one now is part of the value of a variable.
   */
  private def readUnchanged[T](lowered: String, parse: String => T): T =
    if (!lowered.contains("${")) parse(lowered)
    else {
      val conf = SQLConf.get.clone()
      conf.setConf(SQLConf.VARIABLE_SUBSTITUTE_ENABLED, false)
      SQLConf.withExistingConf(conf)(parse(lowered))
    }

  /**
   * Returns the sidecar's reply to a text that Spark rejected. Only a text with the words of a
   * clause is sent, so that ordinary SQL gets Spark's error even if there is no Python.
   */
  private def reply(typed: String, refused: ParseException): Reply =
    if (!Keywords.mayStartClause(typed)) Reply.Unchanged
    else {
      try Sidecar.read(typed)
      catch {
        case missing: AnalysisException =>
          missing.addSuppressed(refused)
          throw missing
      }
    }

  protected def masked(text: String): Option[String] =
    if (!enabled || !Keywords.mayStartClause(text)) None
    else {
      try Sidecar.read(text).masked
      catch {
        case missing: AnalysisException =>
          logWarning("A text is split as Spark splits it", missing)
          None
      }
    }

  private def enabled: Boolean = session.sessionState.conf.getConf(EddylineConf.ENABLED)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  override def parseTableSchema(text: String): StructType = delegate.parseTableSchema(text)

  override def parseDataType(text: String): DataType = delegate.parseDataType(text)

  override def parseRoutineParam(text: String): StructType = delegate.parseRoutineParam(text)
}
