package io.eddyline.spark

/**
 * Turns a text as typed into Spark's plan: [[parser.EddylineParser]] asks Spark's own parser, has a
 * text that Spark refuses lowered by the [[parser.sidecar]], and lets
 * [[parser.PlaceholderResolver]] replace the placeholders of the lowered text by eddyline's nodes.
 * `docs/contributing/read-the-code.md` leads through these steps class by class.
 */
package object parser
