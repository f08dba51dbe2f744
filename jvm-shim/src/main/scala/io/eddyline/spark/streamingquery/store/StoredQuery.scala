package io.eddyline.spark.streamingquery.store

/**
 * The definition of a persistent streaming query, as its JSON file has it. It contains no secret.
 *
 * @param statement the CREATE statement as typed, before Spark replaced variables like `${env:X}`
 * @param catalog the current catalog of the session that created it
 * @param namespace the current namespace of that session
 * @param confs the confs that this session had set
 * @param user the user who created it, who is `current_user()` in it
 * @param checkpoint qualified path of the checkpoint folder
 * @param generation the generation of the checkpoint that has its state
 * @param created when it was created, in ISO 8601
 * @param running whether it is to run, so that the next server starts it
 * @param purging whether DROP … PURGE has begun, which the next server then finishes
 */
private[streamingquery] case class StoredQuery(
    name: String,
    statement: String,
    catalog: String,
    namespace: Seq[String],
    confs: Map[String, String],
    user: String,
    checkpoint: String,
    generation: Int,
    comment: Option[String],
    created: String,
    running: Boolean,
    purging: Boolean)
