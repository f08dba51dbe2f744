package toys

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.{FunctionIdentifier, TableIdentifier}
import org.apache.spark.sql.catalyst.expressions.{Alias, Expression, Literal}
import org.apache.spark.sql.catalyst.parser._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, OneRowRelation, Project}
import org.apache.spark.sql.types.{DataType, StructType}

/** One statement of its own, `TOY HELLO`; all that `ParserInterface` asks for is forwarded. */
abstract class ToyParser(delegate: ParserInterface) extends ParserInterface {

  protected def orElse(text: String)(forward: => LogicalPlan): LogicalPlan =
    if (text.trim.equalsIgnoreCase("TOY HELLO")) {
      Project(Seq(Alias(Literal("hello"), "greeting")()), OneRowRelation())
    } else {
      forward
    }

  override def parsePlan(text: String): LogicalPlan = orElse(text)(delegate.parsePlan(text))

  override def parseQuery(text: String): LogicalPlan = orElse(text)(delegate.parseQuery(text))

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

  override def splitStatements(text: String): SqlStatementSplitResult =
    delegate.splitStatements(text)
}

/** Somebody else's parser, as it should be. */
class ForwardingToyParser(delegate: ParserInterface) extends ToyParser(delegate) {

  override def parsePlanWithParameters(text: String, context: ParameterContext): LogicalPlan =
    orElse(text)(delegate.parsePlanWithParameters(text, context))
}

class ForwardingToy extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectParser((_, delegate) => new ForwardingToyParser(delegate))
}
