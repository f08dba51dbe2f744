package io.eddyline.spark.globaltable.version

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources._

/**
 * Matches a relation whose data are the files in its folders. If an extension such as Delta lists
 * the files, by a log of its own, a folder has files that are no longer, or not yet, data.
 */
private[globaltable] object FileRelation {

  def unapply(leaf: LogicalPlan): Option[(LogicalRelation, HadoopFsRelation)] = leaf match {
    case relation @ LogicalRelationWithTable(files: HadoopFsRelation, _)
        if !isListedByExtension(files) => Some(relation -> files)
    case _ => None
  }

  def isListedByExtension(files: HadoopFsRelation): Boolean = files.location match {
    case _: PartitioningAwareFileIndex | _: CatalogFileIndex => false
    case _ => true
  }
}
