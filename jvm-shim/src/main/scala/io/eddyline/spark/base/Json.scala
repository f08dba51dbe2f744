package io.eddyline.spark.base

import java.lang.reflect.Modifier.isStatic

import scala.reflect.ClassTag

import com.fasterxml.jackson.databind.DeserializationFeature
import com.fasterxml.jackson.databind.json.JsonMapper
import com.fasterxml.jackson.module.scala.DefaultScalaModule

/** Reads and writes JSON. */
private[spark] object Json {

  /** The mapper of all JSON. It knows case classes and skips unknown fields. */
  val mapper: JsonMapper = JsonMapper.builder()
    .addModule(DefaultScalaModule)
    .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
    .build()

  /** Writes a case class. */
  def write(value: Product): Array[Byte] =
    mapper.writerWithDefaultPrettyPrinter.writeValueAsBytes(value)

  /**
   * Reads a case class. Only its options may be missing or null: Jackson would read a missing
   * Boolean as false.
   *
   * Errors: an IllegalArgumentException that names the missing fields; those of Jackson.
   */
  def read[T <: Product](bytes: Array[Byte])(implicit tag: ClassTag[T]): T = {
    val node = mapper.readTree(bytes)
    val fields = tag.runtimeClass.getDeclaredFields.toSeq
      .filterNot(field => field.getType == classOf[Option[_]] || isStatic(field.getModifiers))
    val missing = fields.map(_.getName).filterNot(node.hasNonNull(_))
    require(missing.isEmpty, s"The file has no ${missing.mkString(", ")}.")
    mapper.treeToValue(node, tag.runtimeClass.asInstanceOf[Class[T]])
  }
}
