package org.apache.spark.sql.execution.streaming.eddyline

import java.lang.reflect.{InvocationHandler, InvocationTargetException, Proxy}

import io.eddyline.spark.faults.FaultPoint
import org.apache.spark.sql.execution.streaming.state.StateStore

/** Makes a state store fail before and after a commit. */
private[eddyline] object FaultyStore {

  /** Wraps a store in a proxy, because a hand-written class would repeat its forty methods. */
  def apply(store: StateStore): StateStore = {
    val handler: InvocationHandler = (_, method, arguments) => {
      val commits = method.getName == "commit"
      if (commits) FaultPoint.reach(FaultPoint.BeforeStateCommit)
      val result =
        try method.invoke(store, Option(arguments).toSeq.flatten: _*)
        catch { case failed: InvocationTargetException => throw failed.getCause }
      if (commits) FaultPoint.reach(FaultPoint.AfterStateCommit)
      result
    }
    Proxy
      .newProxyInstance(store.getClass.getClassLoader, store.getClass.getInterfaces, handler)
      .asInstanceOf[StateStore]
  }
}
