package io.eddyline.spark

/**
 * Streaming queries by SQL: START STREAMING QUERY and related statements. The life of a statement:
 *
 *   - [[streamingquery.StreamingQueryPlaceholder]] reads the placeholder that the lowering wrote,
 *     and returns a command, the root of its statement: a command below another node would run once
 *     for every client that reads the result;
 *   - [[streamingquery.StartStreamingQueryCommand]] and [[streamingquery.StreamingQueryCommand]]
 *     run it and return rows, so that every JDBC client sees them;
 *   - [[streamingquery.StreamingQueries]] keeps the queries of all sessions of the JVM, each a
 *     [[streamingquery.ManagedStreamingQuery]];
 *   - [[streamingquery.PersistentQueries]] stores those of CREATE STREAMING QUERY, each a
 *     [[streamingquery.PersistentStreamingQuery]], and runs them while it has the lease;
 *   - [[streamingquery.Replacement]] compares a new definition with a query and its checkpoint;
 *   - each start resolves the parsed query against the current catalog to a
 *     [[streamingquery.ResolvedQuery]], in the [[streamingquery.QuerySession]] of its definition;
 *   - [[streamingquery.BatchWriter]] writes each micro-batch by an INSERT or MERGE, and lets
 *     none begin after the query was told to stop; [[streamingquery.TargetTables]] serializes the
 *     writes into one table, and refreshes it in all sessions.
 */
package object streamingquery
