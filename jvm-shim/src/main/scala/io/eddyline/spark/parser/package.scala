package io.eddyline.spark

/**
 * From the text as typed to Spark's plan, in the order a statement passes:
 *
 *   - [[parser.EddylineParser]] asks Spark's own parser first; a text it understands keeps its
 *     meaning.
 *   - [[parser.Keywords]]: is there a word of ours in the refused text?
 *   - [[parser.Sidecar]] (over one [[parser.SidecarProcess]], found by [[parser.PythonLocator]])
 *     answers with a [[parser.Reply]]: the lowered text and its edits.
 *   - [[parser.OriginRelocator]] moves every node to its place in the typed text, which
 *     [[parser.Positions]] knows.
 *   - [[parser.PlaceholderResolver]] puts eddyline's nodes in the place of the placeholders.
 */
package object parser
