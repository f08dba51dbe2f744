package io.eddyline.spark.emit

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LocalRelation
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import io.eddyline.spark.emit.clause.{Emit, EmitStrategy}

class TopicKeySuite extends AnyFunSuite {
  private val text = column("STRING")

  private def column(ddl: String): Attribute =
    AttributeReference(s"c$ddl".filter(_.isLetter), DataType.fromDDL(ddl))()

  private def struct(values: Expression*) = CreateNamedStruct(
    values.zipWithIndex.flatMap { case (value, i) => Seq(Literal(s"c$i"), value) })

  private def json(values: Expression*) = StructsToJson(Map.empty, struct(values: _*))

  private def avro(values: Expression*) = ToAvro(struct(values: _*), Literal(null))

  private def key(values: Attribute*)(keys: Seq[Expression] = Nil) = new TopicKey(
    values,
    Emit(EmitStrategy.OnChange, None, Nil, Nil, keys, None, None, None, Nil, None, None,
      LocalRelation(values)))

  test("JSON and Avro have all values, and nothing else but constants") {
    val other = column("INT")
    for (form <- Seq[Seq[Expression] => Expression](json(_: _*), avro(_: _*))) {
      assert(key(text, other)().matches(form(Seq(other, Literal("v1"), text))))
      assert(!key(text, other)().matches(form(Seq(text))))
      assert(!key(text)().matches(form(Seq(text, other))))
      assert(!key(text)().matches(form(Seq(Upper(text)))))
    }
    assert(!key(text)().matches(StructsToJson(Map("ignoreNullFields" -> "false"), struct(text))))
  }

  test("JSON leaves out fields that are NULL, so that each needs a name of its own") {
    val other = column("INT")
    val same = CreateNamedStruct(Seq(Literal("a"), text, Literal("a"), other))
    assert(!key(text, other)().matches(StructsToJson(Map.empty, same)))
  }

  test("the types that JSON, Avro and text tell apart") {
    for {
      (ddl, inJson, inAvro, asText) <- Seq(
        ("INT", true, true, true),
        ("DECIMAL(38,2)", true, true, true),
        ("DATE", true, true, true),
        ("STRING", true, true, false),
        ("TIMESTAMP_NTZ", false, true, true),
        ("TIMESTAMP", false, true, false),
        ("BINARY", false, true, false),
        ("DOUBLE", false, true, false),
        ("STRING COLLATE UTF8_LCASE", false, false, false),
        ("ARRAY<INT>", false, false, false),
        ("STRUCT<a: INT>", false, false, false))
      value = column(ddl)
    } {
      assert(key(value)().matches(json(value)) == inJson, ddl)
      assert(key(value)().matches(avro(value)) == inAvro, ddl)
      assert(key(value)().matches(Cast(value, StringType)) == asText, ddl)
      assert(key(value)().matches(json(Cast(value, StringType))) == asText, ddl)
    }
  }

  test("EMIT KEY takes 0.0 and -0.0 for one key, of which Avro has both") {
    val number = column("DOUBLE")
    assert(!key(number)(Seq(number)).matches(avro(number)))
  }
}
