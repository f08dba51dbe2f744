package org.apache.spark.sql.eddyline

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** Recognizes the target of a MERGE, UPDATE or DELETE, which Spark also reads as a relation. */
object RowLevelTargets {
  def isTarget(table: Table): Boolean = table.isInstanceOf[RowLevelOperationTable]
}
