package io.eddyline.spark

/**
 * Global tables (KIP-99): a dimension table that is replicated to every executor and kept fresh.
 * The packages from the bottom up:
 *
 *   - `catalog`: what CREATE GLOBAL TABLE stores in the catalog, an ordinary table or view with
 *     [[globaltable.catalog.GlobalTableOptions]] and the creator's settings as properties;
 *   - `version`: the files of a source ([[globaltable.version.FileListing]]), its snapshots
 *     ([[globaltable.version.Snapshots]]), and how a plan reads one version
 *     ([[globaltable.version.PinnedTable]]);
 *   - `topic`: how the last records of a topic become rows
 *     ([[globaltable.topic.LastRecords]]);
 *   - `replica`: the rows of a version on every executor ([[globaltable.replica.Replicas]]);
 *   - `refresh`: how a table gets its next version;
 *   - `join`: the rules that make a join with a global table a lookup;
 *   - this package: the statements about global tables.
 *
 * The life of a table:
 *
 *   1. [[globaltable.GlobalTablePlaceholder]] reads what the lowering wrote and returns a command.
 *   1. [[globaltable.refresh.GlobalTables]] keeps the tables that the application uses. The
 *      [[globaltable.refresh.Refresher]] gives each [[globaltable.refresh.GlobalTable]] its turns:
 *      a [[globaltable.refresh.FileRefresh]] probes the [[globaltable.refresh.Source]], a
 *      [[globaltable.refresh.SnapshotWriter]] copies its rows, and a second listing shows that they
 *      are those of one state. A [[globaltable.refresh.TopicWatch]] follows a topic instead, and a
 *      [[globaltable.refresh.TopicFollower]] each of its records while tasks of real-time mode look
 *      up. A [[globaltable.refresh.RefreshBarrier]] keeps refreshes apart from the starts of
 *      micro-batches in that mode.
 *   1. [[globaltable.join.PinGlobalTables]] fixes the version of each global table of a plan, once
 *      for each query and micro-batch; [[globaltable.join.BatchVersions]] keeps the versions of
 *      micro-batches in the checkpoint.
 *   1. [[globaltable.join.RewriteGlobalViews]] and [[globaltable.join.RewriteGlobalJoins]] prepare
 *      the joins, [[globaltable.join.PlanGlobalJoins]] plans each as a lookup by a
 *      [[globaltable.join.GlobalLookupExec]], and [[globaltable.join.GlobalTableProgressExec]]
 *      reports the version with the progress of a stream.
 */
package object globaltable
