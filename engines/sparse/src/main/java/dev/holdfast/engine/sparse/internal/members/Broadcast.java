package dev.holdfast.engine.sparse.internal.members;

import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Uninterruptibly;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

/** Makes the same call to several members concurrently and waits for all. */
public final class Broadcast {
  /** Call to one member; may block. */
  @FunctionalInterface
  public interface Call {
    void on(Member member) throws StorageException;
  }

  /** One of several actions; may block. */
  @FunctionalInterface
  public interface Numbered {
    void on(int at) throws StorageException;
  }

  private final Executor executor;

  public Broadcast(Executor executor) {
    this.executor = executor;
  }

  /** Returns the failures in the order of the members; empty when none failed. */
  public List<MemberFailure> each(List<Member> members, Call call) {
    StorageException[] outcomes = all(members.size(), at -> call.on(members.get(at)));
    List<MemberFailure> failures = new ArrayList<>();
    for (int i = 0; i < outcomes.length; i++) {
      if (outcomes[i] != null) {
        failures.add(new MemberFailure(members.get(i), outcomes[i], 0));
      }
    }
    return failures;
  }

  /** Runs several actions at once; returns the failure of each, or null. */
  public StorageException[] all(int count, Numbered call) {
    StorageException[] outcomes = new StorageException[count];
    CountDownLatch others = new CountDownLatch(Math.max(0, count - 1));
    for (int i = 1; i < count; i++) {
      int at = i;
      try {
        executor.execute(
            () -> {
              outcomes[at] = outcome(call, at);
              others.countDown();
            });
      } catch (RejectedExecutionException e) {
        // The caller must learn the results of the other calls, for example to close what they
        // opened.
        outcomes[at] = new StorageException(ErrorCode.IO, "the engine stops", e);
        others.countDown();
      }
    }
    if (count > 0) {
      outcomes[0] = outcome(call, 0);
    }
    Uninterruptibly.await(others);
    return outcomes;
  }

  private static StorageException outcome(Numbered call, int at) {
    try {
      call.on(at);
      return null;
    } catch (StorageException e) {
      return e;
    } catch (RuntimeException | Error e) {
      // The caller waits for all results, so an OutOfMemoryError must become a result too.
      return new StorageException(ErrorCode.INTERNAL, "a defect: " + e, e);
    }
  }
}
