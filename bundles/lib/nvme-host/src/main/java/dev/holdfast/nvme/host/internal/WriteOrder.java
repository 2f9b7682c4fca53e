package dev.holdfast.nvme.host.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;

/**
 * Order of changes that overlap. A change of a part of a block reads, then writes the block, so it
 * excludes every other change of its blocks. Changes of whole blocks exclude only those. Waiting
 * changes begin in the order in which they came. Thread-safe.
 */
public final class WriteOrder {
  private final List<Change> changes = new ArrayList<>();

  /** A change of blocks. */
  public interface Work {
    /** Begins the change, which ends when the completion is called. */
    void begin(Completion ended);
  }

  /** A change in flight or waiting. Guarded by the list's owner. */
  private static final class Change {
    private final long start;
    private final long end;
    private final boolean exclusive;
    private final Work work;
    private final Completion completion;
    private boolean begun;

    Change(long start, long end, boolean exclusive, Work work, Completion completion) {
      this.start = start;
      this.end = end;
      this.exclusive = exclusive;
      this.work = work;
      this.completion = completion;
    }

    boolean conflicts(Change other) {
      return (exclusive || other.exclusive) && start < other.end && other.start < end;
    }
  }

  /**
   * Runs a change when no earlier one excludes it.
   *
   * @param start first byte of its blocks
   * @param end first byte after its blocks
   * @param exclusive whether it changes parts of blocks
   */
  public void run(long start, long end, boolean exclusive, Completion completion, Work work) {
    Change change = new Change(start, end, exclusive, work, completion);
    synchronized (this) {
      change.begun = isFree(change, changes.size());
      changes.add(change);
      if (!change.begun) {
        return;
      }
    }
    begin(change);
  }

  /** Returns whether none of the first changes excludes this one. */
  private boolean isFree(Change change, int count) {
    for (int i = 0; i < count; i++) {
      if (changes.get(i).conflicts(change)) {
        return false;
      }
    }
    return true;
  }

  private void begin(Change change) {
    change.work.begin(failure -> ended(change, failure));
  }

  private void ended(Change change, StorageException failure) {
    List<Change> next = new ArrayList<>();
    synchronized (this) {
      changes.remove(change);
      for (int i = 0; i < changes.size(); i++) {
        Change waiting = changes.get(i);
        if (!waiting.begun && isFree(waiting, i)) {
          waiting.begun = true;
          next.add(waiting);
        }
      }
    }
    change.completion.completed(failure);
    next.forEach(this::begin);
  }
}
