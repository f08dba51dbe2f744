package io.eddyline.spark.base

import scala.reflect.ClassTag

import com.fasterxml.jackson.databind.DeserializationFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

/** Reads and writes JSON. */
private[spark] object Json {

  /** The mapper of all; case classes are written by it, and unknown fields skipped. */
  val mapper: JsonMapper = JsonMapper.builder()
    .addModule(DefaultScalaModule)
    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
    .build()

  /** Writes a case class. */
  def write(value: Product): Array[Byte] =
    mapper.writerWithDefaultPrettyPrinter.writeValueAsBytes(value)

  /** Reads a case class. Raises an error that names the fields which are missing. */
  def read[T <: Product](bytes: Array[Byte])(implicit tag: ClassTag[T]): T = {
    val value = mapper.readValue(bytes, tag.runtimeClass.asInstanceOf[Class[T]])
    val missing = value.productElementNames.zip(value.productIterator).collect {
      case (field, null) => field
    }
    require(missing.isEmpty, s"The file has no ${missing.mkString(", ")}.")
    value
  }
}
