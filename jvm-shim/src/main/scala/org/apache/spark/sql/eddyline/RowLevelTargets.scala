package org.apache.spark.sql.eddyline

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** Recognizes the target relation of a MERGE, UPDATE or DELETE, which Spark reads to rewrite it. */
object RowLevelTargets {
  def isTarget(table: Table): Boolean = table.isInstanceOf[RowLevelOperationTable]
}
