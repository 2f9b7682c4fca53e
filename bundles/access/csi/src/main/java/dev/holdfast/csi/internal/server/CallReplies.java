package dev.holdfast.csi.internal.server;

import dev.holdfast.client.Waiting;
import dev.holdfast.error.StorageException;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers calls with a result, or with the status of a failure. Stateless. */
public final class CallReplies {
  private static final Logger LOG = LoggerFactory.getLogger(CallReplies.class);

  /** Part of the caller's time that is reserved for the error reply. */
  private static final Duration MARGIN = Duration.ofMillis(250);

  private static final Duration LONGEST = Duration.ofMinutes(2);

  private CallReplies() {}

  /** Computes the answer. */
  public interface Call<T> {
    T answer() throws StorageException, StatusException;
  }

  /** Computes an answer of many parts. */
  public interface Stream<T> {
    void answer(Consumer<T> next) throws StorageException, StatusException;
  }

  /** Answers a call on this thread. */
  public static <T> void to(StreamObserver<T> caller, Call<T> call) {
    each(caller, next -> next.accept(call.answer()));
  }

  /** Answers a call with many parts on this thread. */
  public static <T> void each(StreamObserver<T> caller, Stream<T> stream) {
    try {
      stream.answer(caller::onNext);
    } catch (StatusException e) {
      caller.onError(e);
      return;
    } catch (StorageException e) {
      caller.onError(CsiStatus.of(e));
      return;
    } catch (RuntimeException e) {
      LOG.error("a CSI call failed", e);
      caller.onError(Status.INTERNAL.withDescription(String.valueOf(e)).withCause(e).asException());
      return;
    }
    caller.onCompleted();
  }

  /** Returns the wait for this call: the caller's deadline minus a margin. */
  public static Waiting waiting() {
    Deadline deadline = Context.current().getDeadline();
    if (deadline == null) {
      return Waiting.upTo(LONGEST);
    }
    Duration left = Duration.ofNanos(deadline.timeRemaining(TimeUnit.NANOSECONDS)).minus(MARGIN);
    if (left.compareTo(Duration.ofMillis(1)) < 0) {
      return Waiting.upTo(Duration.ofMillis(1));
    }
    return Waiting.upTo(left.compareTo(LONGEST) < 0 ? left : LONGEST);
  }
}
