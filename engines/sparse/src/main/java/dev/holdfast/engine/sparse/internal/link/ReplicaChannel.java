package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.InFlightQueue;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way to a replica on another node, over one link after the other. Keeps every request until it
 * is answered. When the link is lost, the replica is fenced with a new session, and, if it is the
 * same replica in the same boot of its host, sent everything unanswered again, unnoticed by
 * clients. A session that the other node rejects counts as a lost link, because only the fence
 * shows that another engine took over. A request that stays unanswered for longer than the time-out
 * ends the channel, unless no other member works either: then everything waits.
 *
 * <pre>
 *   LINKED --link lost--> LINKING --fenced again, all sent again--> LINKED
 *      '---- time-out ----'----- time-out, another replica, another boot ----> ENDED
 * </pre>
 *
 * <p>Thread-safe. The lock is not held while it sends, closes or calls listeners.
 */
final class ReplicaChannel {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaChannel.class);

  private static final Duration RELINK_PAUSE = Duration.ofMillis(100);
  private static final int TICKS = 8;

  private final ReplicaLocation location;
  private final long generation;
  private final FencedReplica fenced;
  private final RemoteMember.Surroundings around;
  private volatile BooleanSupplier othersWork = () -> true;
  private volatile Consumer<StorageException> endListener = cause -> {};
  private volatile Runnable idleListener = () -> {};

  // Guarded by this. No object is ever given up: as many were under way at once.
  private final InFlightQueue<RemoteRequest> requests =
      new InFlightQueue<>(() -> new RemoteRequest(this), Integer.MAX_VALUE);
  private long session;
  private ReplicaSessionLink link;
  private String incarnation;
  private StorageException ended;
  private long lostSince;

  private ReplicaChannel(
      ReplicaLocation location,
      Token token,
      RemoteMember.Surroundings around,
      ReplicaSessionLink link) {
    this.location = location;
    this.generation = token.generation();
    this.session = token.session();
    this.around = around;
    this.link = link;
    this.fenced = link.fenced();
    this.incarnation = fenced.incarnation();
  }

  /** As {@link RemoteMember#fence}. */
  static ReplicaChannel fence(
      ReplicaLocation location, Token token, RemoteMember.Surroundings around)
      throws StorageException {
    LinkWatch watch = new LinkWatch();
    ReplicaSessionLink link = around.links().connect(location, token, around.timeout(), watch);
    ReplicaChannel channel = new ReplicaChannel(location, token, around, link);
    watch.adopted(channel, link);
    channel.tickLater();
    return channel;
  }

  /** Returns the replica's answer to the first fence. */
  FencedReplica fenced() {
    return fenced;
  }

  /** As {@link RemoteMember#serve}. */
  void serve(BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
    StorageException early;
    synchronized (this) {
      othersWork = answer;
      endListener = whenEnded;
      idleListener = whenIdle;
      early = ended;
    }
    if (early != null) {
      whenEnded.accept(early);
      whenIdle.run();
    }
  }

  /** As {@link RemoteMember#hurry}. */
  void hurry() {
    othersWork = () -> true;
  }

  /** As {@link RemoteMember#works}. */
  synchronized boolean works() {
    long patience = around.timeout().toNanos() / 2;
    return ended == null && link != null && !waitsLonger(around.clock().nanoTime(), patience);
  }

  /** Returns an object for a request, to be given to {@link #send}. */
  synchronized RemoteRequest take() {
    return requests.take();
  }

  /** Sends a request, as soon as there is a link. */
  void send(RemoteRequest request, MemberCompletion done) {
    StorageException failure;
    ReplicaSessionLink now;
    synchronized (this) {
      failure = ended;
      now = link;
      if (failure == null) {
        requests.append(request.begin(done, around.clock().nanoTime()));
      } else {
        requests.release(request);
      }
    }
    if (failure != null) {
      done.completed(failure, 0);
    } else if (now != null) {
      // If it was sent again over a new link since, this one is lost, and ignores it.
      request.sendOver(now);
    }
  }

  /** Sends the requests that this thread collected. */
  void endOfBatch() {
    ReplicaSessionLink now;
    synchronized (this) {
      now = link;
    }
    if (now != null) {
      now.endOfBatch();
    }
  }

  /** A request has its answer; its object may be used again. */
  synchronized void answered(RemoteRequest request) {
    requests.remove(request);
  }

  /**
   * The other node refused a request because it does not know the session. That proves nothing: the
   * replica is fenced again, and the request is sent again if the replica admits this engine.
   *
   * @return false when this channel has ended, so that the request fails
   */
  boolean refused(StorageException cause) {
    ReplicaSessionLink now;
    synchronized (this) {
      if (ended != null) {
        return false;
      }
      now = link;
    }
    if (now != null) {
      // Not on this thread: the link waits for its completions when it is closed.
      around.executor().execute(() -> replace(now, cause));
    }
    return true;
  }

  // The oldest first; the lock is held.
  private List<RemoteRequest> unanswered() {
    List<RemoteRequest> all = new ArrayList<>();
    for (RemoteRequest request = requests.oldest(); request != null; request = request.later()) {
      all.add(request);
    }
    return all;
  }

  // Whether a request has no answer for more than so many nanoseconds; the lock is held.
  private boolean waitsLonger(long now, long nanos) {
    RemoteRequest oldest = requests.oldest();
    return oldest != null && now - oldest.since() > nanos;
  }

  /** A link is lost: another is made. */
  void lost(ReplicaSessionLink which, StorageException cause) {
    if (release(which)) {
      makeAnother(cause);
    }
  }

  // Returns whether it was the present one.
  private synchronized boolean release(ReplicaSessionLink which) {
    if (ended != null || link != which) {
      return false;
    }
    link = null;
    lostSince = around.clock().nanoTime();
    return true;
  }

  private void makeAnother(StorageException cause) {
    LOG.info("replica {}: its link is lost: {}", name(), cause.getMessage());
    around.executor().execute(this::linkAgain);
  }

  private void linkAgain() {
    Token token;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      session++;
      token = new Token(generation, session);
    }
    LinkWatch watch = new LinkWatch();
    try {
      ReplicaSessionLink next = around.links().connect(location, token, around.timeout(), watch);
      if (adopt(next)) {
        watch.adopted(this, next);
      }
    } catch (StorageException e) {
      notLinked(e);
    }
  }

  private void notLinked(StorageException cause) {
    switch (cause.code()) {
      case CONFLICT ->
          end(
              new StorageException(
                  ErrorCode.FORBIDDEN, "another engine took over: " + cause.getMessage(), cause));
      // A full disk rejects every engine until it has room.
      case UNREACHABLE, TIMEOUT, BUSY, NO_SPACE -> {
        if (overdue() && othersWork.getAsBoolean()) {
          end(cause);
        } else {
          around.clock().later(RELINK_PAUSE, this::linkAgain);
        }
      }
      // Not the word of a later engine: that is CONFLICT.
      case FORBIDDEN -> end(new StorageException(ErrorCode.IO, cause.getMessage(), cause));
      case NOT_FOUND, ALREADY_EXISTS, INVALID, UNSUPPORTED, EXPIRED, IO, INTERNAL -> end(cause);
    }
  }

  private boolean adopt(ReplicaSessionLink next) {
    List<RemoteRequest> again = List.of();
    StorageException changed;
    synchronized (this) {
      changed = ended == null ? changedSince(next.fenced()) : ended;
      if (changed == null) {
        again = unanswered();
        incarnation = next.fenced().incarnation();
        link = next;
        notifyAll();
      }
    }
    if (changed != null) {
      next.close();
      end(changed);
      return false;
    }
    LOG.info("replica {}: linked again, {} requests are sent again", name(), again.size());
    again.forEach(request -> request.sendOver(next));
    next.endOfBatch();
    return true;
  }

  // An unanswered sync may have failed in a process that is gone, and would seem to succeed in the
  // next: the kernel reports a failure once. All that a witness knows is durable.
  private StorageException changedSince(FencedReplica now) {
    boolean remembers =
        location.witness()
            || (now.boot().equals(fenced.boot())
                && (now.incarnation().equals(incarnation)
                    || unanswered().stream().noneMatch(RemoteRequest::isSync)));
    boolean same = remembers && now.identity().id().equals(fenced.identity().id());
    return same
        ? null
        : new StorageException(
            ErrorCode.IO, "replica " + name() + " came back without what was in its memory");
  }

  private synchronized boolean overdue() {
    long now = around.clock().nanoTime();
    long timeout = around.timeout().toNanos();
    return waitsLonger(now, timeout) || (link == null && now - lostSince > timeout);
  }

  private void tickLater() {
    around.clock().later(around.timeout().dividedBy(TICKS), this::tick);
  }

  // Looks for requests that were not answered in time.
  private void tick() {
    synchronized (this) {
      if (ended != null) {
        return;
      }
    }
    if (overdue() && othersWork.getAsBoolean()) {
      end(
          new StorageException(
              ErrorCode.TIMEOUT,
              "replica "
                  + name()
                  + " on node "
                  + location.nodeId()
                  + " did not answer within "
                  + around.timeout().toMillis()
                  + " ms"));
    } else {
      tickLater();
    }
  }

  private void end(StorageException cause) {
    ReplicaSessionLink last;
    List<RemoteRequest> left;
    synchronized (this) {
      if (ended != null) {
        return;
      }
      ended = cause;
      last = link;
      link = null;
      notifyAll();
    }
    if (last != null) {
      last.close();
    }
    synchronized (this) {
      left = unanswered();
    }
    // Dropped before its requests end, so that the end of each begins the decision.
    endListener.accept(cause);
    left.forEach(request -> request.completed(cause, 0));
    if (left.isEmpty()) {
      idleListener.run();
    }
  }

  /**
   * Ends a link that does not answer, if it is the present one: another is made.
   *
   * @param which given up before its session can end, so that other calls know why; and at its end
   *     before anything is sent again, so that no late answer of it meets a request's next use
   */
  void replace(ReplicaSessionLink which, StorageException cause) {
    boolean present = release(which);
    which.close();
    if (present) {
      makeAnother(cause);
    }
  }

  /** Returns whether this is the present link. */
  synchronized boolean current(ReplicaSessionLink which) {
    return link == which;
  }

  /**
   * Returns the present link, or waits for the next one.
   *
   * @param deadline by the clock of the system, in nanoseconds
   * @throws StorageException TIMEOUT when none came by then; why it ended, if it did
   */
  synchronized ReplicaSessionLink awaitLink(long deadline) throws StorageException {
    while (link == null && ended == null) {
      try {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        if (left <= 0) {
          throw new StorageException(
              ErrorCode.TIMEOUT,
              "replica " + name() + " on node " + location.nodeId() + " is away");
        }
        wait(left);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.IO, "replica " + name() + ": interrupted", e);
      }
    }
    if (ended != null) {
      throw ended;
    }
    return link;
  }

  /** Ends it; only the waiting requests are notified. Idempotent. */
  void close() {
    endListener = cause -> {};
    idleListener = () -> {};
    end(new StorageException(ErrorCode.IO, "replica " + name() + " was closed by its engine"));
  }

  private String name() {
    return location.replica();
  }
}
