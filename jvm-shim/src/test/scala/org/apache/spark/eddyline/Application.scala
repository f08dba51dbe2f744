package org.apache.spark.eddyline

import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.spark.SparkContext
import org.apache.spark.sql.SparkSession

/** What a simulated application of this JVM has of its own: its settings, and its values. */
private[eddyline] class Application(owner: AnyRef) {
  private var settings = Set.empty[String]

  /** Sets these settings in place of those that were set before. */
  def set(session: SparkSession, conf: java.util.Map[String, String]): Unit = {
    settings.foreach(session.sparkContext.conf.remove(_))
    settings = conf.asScala.keySet.toSet
    conf.asScala.foreach { case (key, value) => session.sparkContext.conf.set(key, value) }
  }

  /** The value that `owner` keeps for the application. */
  def find(session: SparkSession): Option[AnyRef] = valueIn(session, _.get(_))

  /** Takes the value that `owner` keeps for the application, so that its next use makes another. */
  def forget(session: SparkSession): Option[AnyRef] = valueIn(session, _.remove(_))

  private type Places = mutable.Map[SparkContext, AnyRef]

  private def valueIn(
      session: SparkSession,
      access: (Places, SparkContext) => Option[AnyRef]): Option[AnyRef] = {
    val all = Application.valueOf(Application.valueOf(owner, "applications"), "entries")
      .asInstanceOf[Places]
    all.synchronized(access(all, session.sparkContext))
      .flatMap(Application.valueOf(_, "found").asInstanceOf[Option[AnyRef]])
  }
}

private[eddyline] object Application {

  /** The value of a private field, which may be of a superclass. */
  def valueOf(owner: AnyRef, name: String): AnyRef = {
    val classes = Iterator.iterate[Class[_]](owner.getClass)(_.getSuperclass).takeWhile(_ != null)
    val field = classes.flatMap(_.getDeclaredFields).find(_.getName.endsWith(name)).get
    field.setAccessible(true)
    field.get(owner)
  }

  /** Calls a method without parameters, which may be private. */
  def call(owner: AnyRef, name: String): AnyRef = {
    val methods = owner.getClass.getDeclaredMethods ++ owner.getClass.getMethods
    val method = methods.find(m => m.getParameterCount == 0 && m.getName.endsWith(name)).get
    method.setAccessible(true)
    method.invoke(owner)
  }
}
