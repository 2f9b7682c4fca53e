package dev.holdfast.engine.testkit;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * An in-memory register with a history. It can become unreachable before a change takes effect, or
 * afterwards but before the caller receives the answer. Thread-safe.
 */
public final class InMemoryRegister implements MembershipRegister {
  /** Results of calls. */
  public enum Mode {
    /** Calls are answered. */
    REACHABLE,
    /** Calls fail without effect. */
    UNREACHABLE,
    /** Changes take effect but fail; reads fail. */
    ANSWERS_LOST
  }

  private final List<Membership> history = new ArrayList<>();
  private Mode mode = Mode.REACHABLE;
  private int refusals;

  /** Creates the register of a volume that was never opened. */
  public InMemoryRegister() {
    history.add(Membership.NONE);
  }

  /**
   * Sets the result of later calls.
   *
   * @param next not null
   */
  public synchronized void become(Mode next) {
    mode = next;
    notifyAll();
  }

  /** Returns the record independent of the mode; never null. */
  public synchronized Membership record() {
    return history.get(history.size() - 1);
  }

  /** Returns all records in order; never null. */
  public synchronized List<Membership> history() {
    return List.copyOf(history);
  }

  /**
   * Replaces the record, like another engine.
   *
   * @param next not null
   */
  public synchronized void put(Membership next) {
    history.add(next);
  }

  /** Returns the number of rejected calls. */
  public synchronized int refusals() {
    return refusals;
  }

  /**
   * Waits until more calls were rejected.
   *
   * @param before a count from {@link #refusals}
   * @throws InterruptedException when interrupted
   */
  public synchronized void awaitRefusalAfter(int before) throws InterruptedException {
    Waits.until(
        this,
        () -> refusals > before,
        () -> "expected another call of the unreachable register, found " + refusals + " calls");
  }

  /**
   * Waits for a record with a number of members.
   *
   * @param count number of members
   * @throws InterruptedException when interrupted
   */
  public synchronized void awaitMembers(int count) throws InterruptedException {
    Waits.until(
        this,
        () -> record().members().size() == count,
        () -> "expected " + count + " members in the register, found " + record().members());
  }

  @Override
  public synchronized Membership read() throws StorageException {
    if (mode != Mode.REACHABLE) {
      throw refused();
    }
    return record();
  }

  @Override
  public synchronized boolean compareAndSet(Membership expected, Membership next)
      throws StorageException {
    if (mode == Mode.UNREACHABLE) {
      throw refused();
    }
    boolean equal = record().equals(expected);
    if (equal) {
      history.add(next);
      notifyAll();
    }
    if (mode == Mode.ANSWERS_LOST) {
      throw refused();
    }
    return equal;
  }

  private StorageException refused() {
    refusals++;
    notifyAll();
    return new StorageException(ErrorCode.UNREACHABLE, "register: out of reach");
  }
}
