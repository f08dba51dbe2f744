package io.eddyline.spark

/**
 * From the text as typed to Spark's plan, in the order a statement passes:
 *
 *   - [[parser.EddylineParser]] asks Spark's own parser first; a text it understands keeps its
 *     meaning.
 *   - [[parser.Keywords]]: are there words of ours in the refused text?
 *   - [[parser.Sidecar]] (over a [[parser.SidecarProcess]], found by [[parser.PythonLocator]])
 *     answers a [[parser.Request]] with a [[parser.Reply]]: the lowered text and its edits.
 *   - [[parser.OriginRelocator]] moves every node to its place in the typed text, which
 *     [[parser.SourceMap]] knows by its [[parser.EditMapper]].
 *   - [[parser.PlaceholderResolver]] puts eddyline's nodes in the place of the placeholders.
 */
package object parser
