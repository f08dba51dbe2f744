package io.eddyline.spark

/**
 * Real-time mode emits rows before it commits them. [[realtime.RecordUncommittedOutput]] (columnar
 * rule, each micro-batch) writes `<checkpoint>/eddyline/answering` before the first row is emitted,
 * and [[realtime.UncommittedOutput]] tells the operators of EMIT ON CHANGE of a later run how long
 * they must emit rows again.
 */
package object realtime
