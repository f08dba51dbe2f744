package io.eddyline.spark

/**
 * Turns a text as typed into Spark's plan, in these steps:
 *
 *   - [[parser.EddylineParser]] asks Spark's own parser first; a text that it accepts keeps its
 *     meaning.
 *   - [[parser.Keywords]] checks whether the rejected text contains words of eddyline.
 *   - [[parser.sidecar.Sidecar]] (over a [[parser.sidecar.SidecarProcess]], found by
 *     [[parser.sidecar.PythonLocator]]) answers a [[parser.sidecar.Request]] with a
 *     [[parser.sidecar.Reply]]: the lowered text and its edits.
 *   - [[parser.NearMisses]] explains a rejected text that has no clause, but nearly one.
 *   - [[parser.OriginRelocator]] gives every node its position in the typed text, which
 *     [[parser.SourceMap]] computes with an [[parser.EditMapper]].
 *   - [[parser.PlaceholderResolver]] replaces the placeholders by eddyline's nodes.
 *   - [[parser.view.ViewText]] is what a view stores; [[parser.view.ShowViewsAsTyped]] prints what
 *     was typed.
 */
package object parser
