package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.internal.SQLConf

/** Reads another version of a table with the attributes that a plan already has for it. */
private[globaltable] object NamedColumns {

  /**
   * Returns the rows of a resolved plan with these attributes, found by their names: cast to the
   * types of these, and NULL if the plan has no such column.
   */
  def of(rows: LogicalPlan, wanted: Seq[AttributeReference]): LogicalPlan = Project(
    wanted.map { attribute =>
      val column =
        rows.output.find(column => SQLConf.get.resolver(column.name, attribute.name)) match {
          case None => Literal(null, attribute.dataType)
          case Some(column) if column.dataType == attribute.dataType => column
          case Some(column) => Cast(column, attribute.dataType)
        }
      Alias(column, attribute.name)(exprId = attribute.exprId, qualifier = attribute.qualifier)
    }, rows)
}
