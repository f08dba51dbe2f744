package io.eddyline.spark.parser

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.internal.{SQLConf, VariableSubstitution}
import org.apache.spark.sql.types.{DataType, StructType}

import io.eddyline.spark.EddylineConf

/**
 * Spark's parser with eddyline's clauses. Spark (`delegate`) reads a text first; only a text it
 * refuses is lowered and read again, so ordinary SQL keeps its meaning and its cost.
 *
 * Errors: EDDYLINE_<CLAUSE>.* as `ParseException` at the offending word; EDDYLINE_SIDECAR.* if the
 * text holds a clause and cannot be lowered; else Spark's own, placed in the text as typed.
 */
class EddylineParser(session: SparkSession, delegate: ParserInterface) extends ParserInterface {

  override def parsePlan(text: String): LogicalPlan =
    parse(text)(delegate.parsePlan)((lowered, mapper) =>
      Positions.within(mapper)(delegate.parsePlan(lowered)))

  override def parseQuery(text: String): LogicalPlan =
    parse(text)(delegate.parseQuery)((lowered, mapper) =>
      Positions.within(mapper)(delegate.parseQuery(lowered)))

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan =
    parse(text)(delegate.parsePlanWithParameters(_, context))((lowered, mapper) =>
      withParameters(lowered, mapper, context))

  /**
   * Spark installs a mapper of its own for parameters, in the place of ours, so the values are put
   * in here and both mappers made one.
   */
  private def withParameters(
      lowered: String, mapper: PositionMapper, context: ParameterContext): LogicalPlan =
    if (SQLConf.get.legacyParameterSubstitutionConstantsOnly) {
      Positions.within(mapper)(delegate.parsePlanWithParameters(lowered, context))
    } else {
      val (_, parameters) = Positions.within(mapper) {
        ParameterHandler.substituteParameters(lowered, context)
      }
      val both = Positions.compose(mapper, parameters)
      Positions.within(both)(delegate.parsePlan(both.substitutedText))
    }

  private def parse(text: String)(plain: String => LogicalPlan)(
      lowered: (String, PositionMapper) => LogicalPlan): LogicalPlan =
    try PlaceholderResolver(text, plain(text))
    catch {
      case refused: ParseException if enabled && Keywords.mayStartClause(text) =>
        val typed = new VariableSubstitution().substitute(text)
        Sidecar.read(typed) match {
          case Reply.Unchanged => throw refused
          case refusal: Reply.Refused => throw Positions.parseError(typed, refusal)
          case Reply.Lowered(newText, edits, _) =>
            val mapper = Positions.mapper(typed, newText, edits)
            try PlaceholderResolver(newText, lowered(newText, mapper))
            catch { case e: ParseException => throw Positions.toTyped(e, mapper) }
        }
    }

  /**
   * The spark-sql CLI splits its input by parsing it, and a clause of ours would tear a script at
   * its first semicolon. So a text of the same length, in which each clause is a plain query, is
   * split, and the typed text is cut at the same places.
   */
  override def splitStatements(text: String): SqlStatementSplitResult =
    if (!enabled || !Keywords.mayStartClause(text)) {
      delegate.splitStatements(text)
    } else {
      val masked = Sidecar.read(text) match {
        case lowered: Reply.Lowered => lowered.masked
        case refused: Reply.Refused => refused.masked
        case Reply.Unchanged => text
      }
      StatementCutter.cut(text, masked, delegate.splitStatements(masked))
    }

  private def enabled: Boolean = session.sessionState.conf.getConf(EddylineConf.ENABLED)

  override def parseExpression(text: String): Expression = delegate.parseExpression(text)

  override def parseTableIdentifier(text: String): TableIdentifier =
    delegate.parseTableIdentifier(text)

  override def parseFunctionIdentifier(text: String): FunctionIdentifier =
    delegate.parseFunctionIdentifier(text)

  override def parseMultipartIdentifier(text: String): Seq[String] =
    delegate.parseMultipartIdentifier(text)

  override def parseTemporalTableIdentifier(text: String): TemporalIdentifier =
    delegate.parseTemporalTableIdentifier(text)

  override def parseTableSchema(text: String): StructType = delegate.parseTableSchema(text)

  override def parseDataType(text: String): DataType = delegate.parseDataType(text)

  override def parseRoutineParam(text: String): StructType = delegate.parseRoutineParam(text)
}
