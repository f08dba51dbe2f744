package io.eddyline.spark

/**
 * From the text as typed to Spark's plan, in the order a statement passes:
 *
 *   - [[parser.EddylineParser]] asks Spark's own parser first; a text it understands keeps its
 *     meaning.
 *   - [[parser.Keywords]]: is there a word of ours in the refused text?
 *   - [[parser.Sidecar]] (over one [[parser.SidecarProcess]], found by [[parser.PythonLocator]])
 *     answers with a [[parser.Reply]]: the lowered text and its edits.
 *   - [[parser.Positions]] maps every position in the lowered text back to the text as typed.
 *   - [[parser.PlaceholderResolver]] puts eddyline's nodes in the place of the placeholders.
 */
package object parser
