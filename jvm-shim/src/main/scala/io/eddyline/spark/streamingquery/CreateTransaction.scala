package io.eddyline.spark.streamingquery

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.trees.Origin

import io.eddyline.spark.streamingquery.store.QueryStore

/**
 * Stores a new persistent query and starts it. If that fails, everything is as before. If the
 * rollback fails as well, the stored definition wins and the query is reloaded from it.
 *
 * @param reload removes a query, so that it is loaded again as the store has it
 */
private[streamingquery] class CreateTransaction(
    registry: QueryRegistry, store: QueryStore, reload: PersistentStreamingQuery => Unit) {

  /** Adds a query, in a new generation of its checkpoint if `resets` says so. */
  def add(query: PersistentStreamingQuery, place: Origin, resets: Boolean): Unit = {
    val before = store.content(query.name)
    query.isStored = false
    registry.add(query)
    orUndo {
      if (resets) query.makeGeneration()
      query.save()
      query.start(place)
    }(
      () => query.halt(),
      () => registry.remove(query),
      () => query.release(),
      () => putBack(before, query),
      () => if (resets) query.discardGeneration())
  }

  /**
   * Puts a query in the place of another one, which goes on until the new one is stored.
   *
   * @param replacement compares both; None if the new one begins again without the state
   */
  def replace(old: PersistentStreamingQuery, query: PersistentStreamingQuery, place: Origin)(
      replacement: Option[Replacement]): Unit = {
    registry.requireCanReplace(old, query)
    val before = store.content(query.name)
    orUndo {
      replacement.fold(query.makeGeneration()) { replacement =>
        val commits = old.mayAnswer && replacement.judgesOtherwise
        if (commits || replacement.canStillChange) {
          old.save() // where nothing can be stored, nothing is stopped
          old.halt()
        }
        if (commits) old.commitAnswers(place)
        // the old one may be further
        if (replacement.canStillChange) replacement.again.requireKeepsState()
      }
      query.save()
      old.halt()
      registry.replace(old, query)
      query.start(place)
    }(
      () => query.halt(),
      () => if (registry.find(old.name).exists(_ eq query)) registry.replace(query, old),
      () => query.release(),
      () => putBack(before, old),
      () => if (replacement.isEmpty) query.discardGeneration(),
      () => old.resetBackoff())
    old.release()
  }

  private def putBack(before: Option[Array[Byte]], query: PersistentStreamingQuery): Unit =
    try query.putBack(before)
    catch {
      case e: Throwable =>
        reload(query)
        throw e
    }

  /** Undoes a change that fails: does each step, whatever becomes of the others. */
  private def orUndo(change: => Unit)(steps: (() => Unit)*): Unit =
    try change
    catch {
      case error: Throwable =>
        steps.foreach { step =>
          try step()
          catch { case NonFatal(another) => error.addSuppressed(another) }
        }
        throw error
    }
}
