package io.eddyline.spark.parser

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Method, Proxy}

import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.parser.ParserInterface

/**
 * The parser on a Spark that this jar does not support. It parses what Spark parses; for a text
 * that Spark rejects and that may contain a clause it says that the version is the reason.
 *
 * It is a proxy, because the methods of a parser differ between versions of Spark.
 *
 * Errors: EDDYLINE_UNSUPPORTED_SPARK_VERSION, as an `UnsupportedOperationException`.
 */
private[spark] object UnsupportedSparkParser {
  def inject(extensions: SparkSessionExtensions, reason: String): Unit =
    extensions.injectParser { (_, delegate) =>
      val handler: InvocationHandler = (_: Any, method: Method, arguments: Array[AnyRef]) =>
        try method.invoke(delegate, arguments: _*)
        catch {
          case e: InvocationTargetException => throw refusal(e.getCause, arguments, reason)
        }
      Proxy.newProxyInstance(getClass.getClassLoader, Array(classOf[ParserInterface]), handler)
        .asInstanceOf[ParserInterface]
    }

  private def refusal(error: Throwable, arguments: Array[AnyRef], reason: String): Throwable =
    arguments.headOption match {
      case Some(text: String) if Keywords.mayStartClause(text) =>
        new UnsupportedOperationException(reason, error)
      case _ => error
    }
}
