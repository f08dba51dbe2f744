package io.eddyline.spark

/**
 * What real-time mode answers before it commits: [[realtime.RecordUncommittedOutput]] (columnar
 * rule, each micro-batch) writes `<checkpoint>/eddyline/answering` before the first row leaves, and
 * [[realtime.UncommittedOutput]] tells the operators of EMIT ON CHANGE of a later run how long they
 * have to repeat rows.
 */
package object realtime
