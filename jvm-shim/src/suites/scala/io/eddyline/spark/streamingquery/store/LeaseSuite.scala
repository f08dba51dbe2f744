package io.eddyline.spark.streamingquery.store

import java.io.IOException
import java.time.Duration

import org.apache.hadoop.fs.Path
import org.scalatest.funsuite.AnyFunSuite

abstract class LeaseTests extends AnyFunSuite with Folders {
  private val SECOND = 1000000000L

  /** A lease of 30 seconds, by a clock of its own that a test sets forward. */
  private class Machine(folder: Path, name: String) {
    private var now = name.hashCode * SECOND // the clocks of two machines do not agree
    private var timeOfDay = 0L
    private var pause = () => ()
    val owner: Owner = Owner(name, s"app-$name", "host", 1, "2026-01-01T00:00:00Z")
    val lease =
      new Lease(folder, conf, owner, Duration.ofSeconds(30), () => now,
        () => {
          pause()
          timeOfDay
        })

    /** Lets something happen after it has looked for claims, and before it makes one of its own. */
    def pausingBeforeClaim(others: => Unit): Lease = {
      var looks = 0
      pause = () => {
        looks += 1
        if (looks == 2) others
      }
      lease
    }

    def after(seconds: Long): Lease = {
      now += seconds * SECOND
      set(seconds)
    }

    /** Sets the time of day alone forward, or back. */
    def set(seconds: Long): Lease = {
      timeOfDay += seconds * 1000
      lease
    }
  }

  private def withMachines(body: (Machine, Machine) => Unit): Unit =
    withFolder(folder => body(new Machine(folder, "a"), new Machine(folder, "b")))

  test("the first has the lease as long as it renews it") {
    withMachines { (a, b) =>
      assert(a.lease.owner.isEmpty && a.lease.renewOrTake())
      (1 to 5).foreach { _ =>
        assert(!b.after(29).renewOrTake() && a.after(19).renewOrTake())
      }
      assert(b.lease.owner.contains(a.owner) && !b.lease.isHeld)
    }
  }

  test("another takes it after one duration without a heartbeat, and the first gives up") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      assert(!b.lease.renewOrTake() && !b.after(29).renewOrTake() && b.after(1).renewOrTake())
      assert(!a.lease.renewOrTake() && a.lease.owner.contains(b.owner))
    }
  }

  test("an owner that could not renew stops before another may take over") {
    withMachines { (a, _) =>
      a.lease.renewOrTake()
      assert(a.after(19).isHeld && !a.after(1).isHeld)
      val term = a.lease.term
      assert(a.lease.renewOrTake(), "nobody has taken it meanwhile")
      assert(a.lease.term.exists(now => term.exists(_ < now)), "another may be about to take it")
    }
  }

  test("a heartbeat starts the wait of the others again") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      b.lease.renewOrTake()
      a.lease.renewOrTake()
      assert(!b.after(30).renewOrTake() && !b.after(29).renewOrTake() && b.after(1).renewOrTake())
    }
  }

  test("a time of day that is set back gives nobody the lease of another") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      b.lease.renewOrTake()
      assert(a.set(-3600).isHeld && a.after(19).isHeld && !a.after(1).isHeld)
      assert(!b.set(-3600).renewOrTake() && !b.set(7200).renewOrTake())
      assert(b.after(30).renewOrTake() && !a.lease.isHeld && !a.lease.renewOrTake())
    }
  }

  test("an owner that was suspended, while its clock stood still, stops at once") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      b.lease.renewOrTake()
      assert(b.after(30).renewOrTake())
      assert(!a.set(30).isHeld && !a.lease.renewOrTake() && b.lease.isHeld)
    }
  }

  test("a time of day that is set forward costs the lease for a moment") {
    withMachines { (a, _) =>
      a.lease.renewOrTake()
      assert(!a.set(3600).isHeld && a.lease.renewOrTake() && a.after(19).isHeld)
    }
  }

  test("a lease that was given back is taken at once") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      a.lease.release()
      assert(!a.lease.isHeld && b.lease.owner.isEmpty && b.lease.renewOrTake())
    }
  }

  test("an application that has given the lease back leaves it to others, whatever still runs") {
    withMachines { (a, b) =>
      a.lease.renewOrTake()
      a.lease.release()
      assert(!a.lease.renewOrTake() && a.lease.term.isEmpty && b.lease.renewOrTake())
    }
  }

  test("a claim that was made too late counts for nothing") {
    withMachines { (a, b) =>
      b.pausingBeforeClaim {
        a.lease.renewOrTake()
        a.after(20).renewOrTake() // with another number, and its old claim is gone
      }
      assert(!b.lease.renewOrTake() && a.lease.isHeld)
    }
  }

  /** Lets a machine take the lease, and interrupts it before its claim is settled. */
  private def interrupted(folder: Path): Machine = {
    val machine = new Machine(folder, "a")
    val taking = new Thread(() =>
      try machine.lease.renewOrTake(): Unit
      catch { case _: InterruptedException | _: IOException => })
    taking.start()
    val files = new AtomicFiles(folder, conf)
    while (taking.isAlive) {
      if (files.exists("1.claim") && taking.getState == Thread.State.TIMED_WAITING) {
        taking.interrupt()
      }
    }
    machine
  }

  test("an application that ends while it takes the lease gives it back") {
    withFolder { folder =>
      interrupted(folder).lease.release()
      assert(new Machine(folder, "b").lease.renewOrTake())
    }
  }

  test("a statement that is cancelled while it takes the lease does not keep the next from it") {
    withFolder { folder =>
      val lease = interrupted(folder).lease
      assert(!lease.isHeld && lease.renewOrTake())
    }
  }

  test("a claim that cannot be read is one of an unknown owner, and runs out") {
    withFolder { folder =>
      val files = new AtomicFiles(folder, conf)
      files.makeFolder()
      files.create("1.claim", Array.emptyByteArray)
      val a = new Machine(folder, "a")
      assert(!a.lease.renewOrTake() && a.lease.owner.contains(Owner.UNKNOWN))
      assert(!a.after(29).renewOrTake() && a.after(1).renewOrTake())
    }
  }
}

class LeaseSuite extends LeaseTests
