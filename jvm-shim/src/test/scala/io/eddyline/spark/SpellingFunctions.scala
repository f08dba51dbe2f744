package io.eddyline.spark

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.NoSuchFunctionException
import org.apache.spark.sql.connector.catalog.{FunctionCatalog, Identifier}
import org.apache.spark.sql.connector.catalog.functions._
import org.apache.spark.sql.types.{DataType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/** A catalog with one function, `spelled`, which returns its argument until it is replaced. */
trait SpellingFunctions extends FunctionCatalog {
  override def listFunctions(namespace: Array[String]): Array[Identifier] = Array.empty

  override def loadFunction(identifier: Identifier): UnboundFunction =
    if (identifier.name != "spelled") throw new NoSuchFunctionException(identifier)
    else if (SpellingFunctions.isReplaced) new Backwards
    else new Unchanged
}

object SpellingFunctions {
  @volatile private var isReplaced = false

  def replace(replaced: Boolean): Unit = isReplaced = replaced
}

abstract class Spelling extends UnboundFunction with ScalarFunction[UTF8String] {
  override def bind(arguments: StructType): BoundFunction = this

  override def inputTypes: Array[DataType] = Array(StringType)

  override def resultType: DataType = StringType

  override def name: String = "spelled"

  override def description: String = name
}

class Unchanged extends Spelling {
  override def produceResult(input: InternalRow): UTF8String = input.getUTF8String(0)
}

class Backwards extends Spelling {
  override def produceResult(input: InternalRow): UTF8String = input.getUTF8String(0).reverse
}
