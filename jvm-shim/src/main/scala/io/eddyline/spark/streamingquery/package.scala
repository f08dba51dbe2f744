package io.eddyline.spark

/**
 * Streaming queries by SQL: START STREAMING QUERY and its kin. The life of a statement:
 *
 *   - [[streamingquery.StreamingQueryPlaceholder]] reads the placeholder that the lowering wrote,
 *     and makes a command, the root of its statement: a command below another node would run once
 *     for every client that looks at the result;
 *   - [[streamingquery.StartStreamingQueryCommand]] and [[streamingquery.StreamingQueryCommand]]
 *     run it and return rows, so that every JDBC client sees them;
 *   - [[streamingquery.StreamingQueries]] holds the queries of the JVM, whatever session started
 *     them, each a [[streamingquery.ManagedStreamingQuery]];
 *   - each start makes a [[streamingquery.ResolvedQuery]] of the parsed one, by what the catalog
 *     says then, in the [[streamingquery.QuerySession]] of its definition;
 *   - [[streamingquery.BatchInsert]] writes each micro-batch by an INSERT, and lets none begin when
 *     the query is to stop; [[streamingquery.TargetTables]] lets queries into one table take
 *     turns, and all sessions see the rows.
 */
package object streamingquery
