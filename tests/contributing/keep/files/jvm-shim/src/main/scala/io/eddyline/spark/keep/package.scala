package io.eddyline.spark

/**
 * KEEP: the first rows of a query. The life of a clause:
 *
 *   - [[keep.KeepPlaceholder]] reads the placeholder that the lowering wrote, and makes
 *     [[keep.Keep]] over the query;
 *   - [[keep.ResolveKeep]] (post-hoc) checks the number and replaces the clause by a LIMIT.
 */
package object keep
