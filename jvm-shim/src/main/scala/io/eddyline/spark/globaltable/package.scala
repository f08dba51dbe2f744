package io.eddyline.spark

/**
 * Global tables (KIP-99): a dimension that every executor holds and that is kept fresh. The life of
 * one:
 *
 *   - [[globaltable.GlobalTablePlaceholder]] reads what the lowering wrote and makes a command:
 *     [[globaltable.CreateGlobalTableCommand]] or a [[globaltable.GlobalTableCommand]]. The catalog
 *     keeps an ordinary table or view with [[globaltable.GlobalTableOptions]] as properties;
 *   - [[globaltable.GlobalTables]] holds the tables in use, each a [[globaltable.GlobalTable]] with
 *     its current [[globaltable.Version]]. The [[globaltable.Refresher]] lets each look at its
 *     [[globaltable.Source]], in one of the [[globaltable.OwnSessions]], which has the
 *     [[globaltable.SessionSettings]] of the session that made the table. The
 *     [[globaltable.SourceWatch]] tells which files are complete ([[globaltable.CommittedFiles]]),
 *     and the [[globaltable.SnapshotWriter]] makes a version of them, kept in
 *     [[globaltable.Snapshots]];
 *   - [[globaltable.PinGlobalTables]] puts a [[globaltable.PinnedTable]] in the place of each
 *     global table of a plan, once for each query and micro-batch; [[globaltable.BatchVersions]]
 *     keeps the versions of micro-batches in the checkpoint;
 *   - [[globaltable.RewriteGlobalViews]] looks up in the tables of a view one by one, and
 *     [[globaltable.RewriteGlobalJoins]] hints at the side that is global;
 *   - [[globaltable.PlanGlobalJoins]] plans the join over a [[globaltable.GlobalLookupExec]], which
 *     finds its rows in the [[globaltable.Replicas]]; [[globaltable.GlobalTableProgressExec]] tells
 *     the progress of a stream which version that was.
 */
package object globaltable
