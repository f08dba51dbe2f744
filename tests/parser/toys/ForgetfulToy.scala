package toys

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.parser.ParserInterface

/**
 * A parser from before Spark had `parsePlanWithParameters`: it inherits the interface's default,
 * which calls `parsePlan` and loses the parameters.
 */
class ForgetfulToyParser(delegate: ParserInterface) extends ToyParser(delegate)

class ForgetfulToy extends (SparkSessionExtensions => Unit) {
  override def apply(extensions: SparkSessionExtensions): Unit =
    extensions.injectParser((_, delegate) => new ForgetfulToyParser(delegate))
}
