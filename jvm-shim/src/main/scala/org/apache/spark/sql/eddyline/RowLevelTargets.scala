package org.apache.spark.sql.eddyline

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.write.RowLevelOperationTable

/** Recognizes the relation that a MERGE, UPDATE or DELETE reads to rewrite it. */
object RowLevelTargets {
  def isTarget(table: Table): Boolean = table.isInstanceOf[RowLevelOperationTable]
}
