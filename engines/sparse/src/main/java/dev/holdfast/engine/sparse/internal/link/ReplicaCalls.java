package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.FenceReply;
import dev.holdfast.engine.sparse.rpc.FenceRequest;
import dev.holdfast.engine.sparse.rpc.ReplicaControlGrpc;
import dev.holdfast.engine.sparse.rpc.ReplicaControlGrpc.ReplicaControlBlockingStub;
import dev.holdfast.engine.sparse.rpc.Session;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.Channel;
import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/**
 * The control calls of one session, from the engine's side. The end of the session cancels running
 * calls and makes later ones fail.
 */
final class ReplicaCalls {
  /** One gRPC call. */
  @FunctionalInterface
  interface Call<A> {
    A ask(ReplicaControlBlockingStub stub) throws StorageException;
  }

  private static final Duration LONG = Duration.ofHours(1);

  /** Key of the error code that {@link RpcErrors} sends beside a status. */
  private static final Metadata.Key<String> ANSWERED =
      Metadata.Key.of("holdfast-error-code", Metadata.ASCII_STRING_MARSHALLER);

  private final String what;
  private final ReplicaControlBlockingStub stub;
  private final Session session;
  private final Duration timeout;
  private final Context.CancellableContext context = Context.ROOT.withCancellation();

  // Guarded by this.
  private int running;
  private Optional<StorageException> over = Optional.empty();
  private Optional<Runnable> whenQuiet = Optional.empty();

  ReplicaCalls(
      String what, Channel channel, ReplicaLocation location, Token token, Duration timeout) {
    this.what = what;
    this.timeout = timeout;
    this.stub = ReplicaControlGrpc.newBlockingStub(channel);
    this.session = ReplicaMessages.session(location, token);
  }

  Session session() {
    return session;
  }

  /** Opens the session; fails with UNREACHABLE while the other node's engine is being replaced. */
  FenceReply fence(FenceRequest request) throws StorageException {
    return call(timeout, asked -> asked.fence(request), ReplicaCalls::ofServed);
  }

  // Engines of every release implement the first call. A refusal without our error code comes from
  // gRPC itself: the service is absent while the engine's bundle is replaced.
  private static StorageException ofServed(String what, StatusRuntimeException failure) {
    Metadata trailers = failure.getTrailers();
    boolean answered = trailers != null && trailers.containsKey(ANSWERED);
    return !answered && failure.getStatus().getCode() == Status.Code.UNIMPLEMENTED
        ? new StorageException(
            ErrorCode.UNREACHABLE, what + ": no engine answers there at the moment", failure)
        : RpcErrors.fromStatus(what, failure);
  }

  /** Makes a call that is limited by the time-out. */
  <A> A call(Call<A> call) throws StorageException {
    return call(timeout, call, RpcErrors::fromStatus);
  }

  /** Makes a call that copies data on the other node. */
  <A> A callLong(Call<A> call) throws StorageException {
    return call(LONG, call, RpcErrors::fromStatus);
  }

  private <A> A call(
      Duration longest,
      Call<A> call,
      BiFunction<String, StatusRuntimeException, StorageException> failures)
      throws StorageException {
    begin();
    Context before = context.attach();
    try {
      return call.ask(stub.withDeadlineAfter(longest.toMillis(), TimeUnit.MILLISECONDS));
    } catch (StatusRuntimeException e) {
      throw failures.apply(what, e);
    } finally {
      context.detach(before);
      end();
    }
  }

  private synchronized void begin() throws StorageException {
    if (over.isPresent()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, what + ": " + over.get().getMessage(), over.get());
    }
    running++;
  }

  private void end() {
    Optional<Runnable> then = Optional.empty();
    synchronized (this) {
      running--;
      if (running == 0) {
        then = whenQuiet;
        whenQuiet = Optional.empty();
      }
      notifyAll();
    }
    then.ifPresent(Runnable::run);
  }

  /** Cancels the running calls, and runs an action after they ended. */
  void stop(StorageException cause, Runnable then) {
    boolean quiet;
    synchronized (this) {
      over = Optional.of(cause);
      quiet = running == 0;
      whenQuiet = quiet ? Optional.empty() : Optional.of(then);
    }
    context.cancel(cause);
    if (quiet) {
      then.run();
    }
  }
}
