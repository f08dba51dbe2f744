package io.eddyline.spark

/**
 * Turns a text as typed into Spark's plan, in these steps:
 *
 *   - [[parser.EddylineParser]] asks Spark's own parser first; a text that it accepts keeps its
 *     meaning.
 *   - [[parser.Keywords]] checks whether the rejected text contains words of eddyline.
 *   - [[parser.Sidecar]] (over a [[parser.SidecarProcess]], found by [[parser.PythonLocator]])
 *     answers a [[parser.Request]] with a [[parser.Reply]]: the lowered text and its edits.
 *   - [[parser.NearMisses]] explains a rejected text that has no clause, but nearly one.
 *   - [[parser.OriginRelocator]] gives every node its position in the typed text, which
 *     [[parser.SourceMap]] computes with an [[parser.EditMapper]].
 *   - [[parser.PlaceholderResolver]] replaces the placeholders by eddyline's nodes.
 *   - [[parser.ViewText]] is what a view stores; [[parser.ShowViewsAsTyped]] prints what was typed.
 */
package object parser
