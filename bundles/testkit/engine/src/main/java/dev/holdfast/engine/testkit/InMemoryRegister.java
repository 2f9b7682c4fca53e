package dev.holdfast.engine.testkit;

import dev.holdfast.engine.Membership;
import dev.holdfast.engine.MembershipRegister;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * A register in memory that keeps its history and can be cut off: before a change takes effect, or
 * after it did but before the caller learns of it. Thread-safe.
 */
public final class InMemoryRegister implements MembershipRegister {
  /** How calls end. */
  public enum Mode {
    /** They are answered. */
    REACHABLE,
    /** They fail and change nothing. */
    UNREACHABLE,
    /** Changes take effect and fail all the same; reads fail. */
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
   * Sets how later calls end.
   *
   * @param next not null
   */
  public synchronized void become(Mode next) {
    mode = next;
    notifyAll();
  }

  /** Returns the record, reachable or not; never null. */
  public synchronized Membership record() {
    return history.get(history.size() - 1);
  }

  /** Returns every record that ever stood here, the first first; never null. */
  public synchronized List<Membership> history() {
    return List.copyOf(history);
  }

  /**
   * Puts a record here, as another engine would.
   *
   * @param next not null
   */
  public synchronized void put(Membership next) {
    history.add(next);
  }

  /** Returns how many calls were refused so far. */
  public synchronized int refusals() {
    return refusals;
  }

  /**
   * Waits until more calls were refused than before.
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
   * Waits until a record with so many members stands here.
   *
   * @param count of members
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
