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
 * Connection to a replica on another node, over one link after the other. Keeps every request until
 * its reply. When the link is lost, it fences the replica with a new session. If the same replica
 * answers in the same boot of its host, it sends all unanswered requests again and clients notice
 * only a delay. A session that the other node rejects counts as a lost link, because only the fence
 * shows that another engine took over. A request that stays unanswered for longer than the time-out
 * ends the channel. If no other member works either, everything waits instead.
 *
 * <pre>
 *   LINKED --link lost--> LINKING --fenced again, all sent again--> LINKED
 *      '---- time-out ----'----- time-out, another replica, another boot ----> ENDED
 * </pre>
 *
 * <p>Thread-safe. The lock is not held while the channel sends, closes or calls listeners.
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

  // Guarded by this. Pools every request: the pool grows to the largest number in flight at once.
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

  /** Sends a request as soon as a link exists. */
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
      // If the request was already sent again over a new link, the present link is lost and ignores
      // it.
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

  /** Removes an answered request and returns it to the pool. */
  synchronized void answered(RemoteRequest request) {
    requests.remove(request);
  }

  /**
   * Handles a request that the other node refused because it does not know the session. The refusal
   * does not decide anything: the replica is fenced again, and the request is sent again if the
   * replica admits this engine.
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
      // Not on this thread: closing the link waits for its completions, of which this is one.
      around.executor().execute(() -> replace(now, cause));
    }
    return true;
  }

  // The oldest first. The caller holds the lock.
  private List<RemoteRequest> unanswered() {
    List<RemoteRequest> all = new ArrayList<>();
    for (RemoteRequest request = requests.oldest(); request != null; request = request.later()) {
      all.add(request);
    }
    return all;
  }

  // Returns whether a request has been unanswered for more than this many nanoseconds. The caller
  // holds the lock.
  private boolean waitsLonger(long now, long nanos) {
    RemoteRequest oldest = requests.oldest();
    return oldest != null && now - oldest.since() > nanos;
  }

  /** Handles the loss of a link: makes another one. */
  void lost(ReplicaSessionLink which, StorageException cause) {
    if (release(which)) {
      makeAnother(cause);
    }
  }

  // Returns whether the given link was the present one.
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
      // A replica on a full disk rejects every engine until the disk has space.
      case UNREACHABLE, TIMEOUT, BUSY, NO_SPACE -> {
        if (overdue() && othersWork.getAsBoolean()) {
          end(cause);
        } else {
          around.clock().later(RELINK_PAUSE, this::linkAgain);
        }
      }
      // Not a later engine's admission, which would be CONFLICT.
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

  // An unanswered sync may have failed in a process that has ended, and would seem to succeed in
  // the next process, because the kernel reports a failure once. A witness has made everything
  // durable.
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
            ErrorCode.IO, "replica " + name() + " restarted and lost unsynced data");
  }

  private synchronized boolean overdue() {
    long now = around.clock().nanoTime();
    long timeout = around.timeout().toNanos();
    return waitsLonger(now, timeout) || (link == null && now - lostSince > timeout);
  }

  private void tickLater() {
    around.clock().later(around.timeout().dividedBy(TICKS), this::tick);
  }

  // Ends the channel or replaces the link when a request is overdue.
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
    // Dropped before its requests end, so that each request finds the decision in progress.
    endListener.accept(cause);
    left.forEach(request -> request.completed(cause, 0));
    if (left.isEmpty()) {
      idleListener.run();
    }
  }

  /**
   * Replaces a link that does not answer, if it is the present one.
   *
   * @param which link to close. It is abandoned before its session can end, so that other calls
   *     know the cause. It is closed before any request is sent again, so that none of its late
   *     replies completes a reused request object
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
   * @param deadline of {@link System#nanoTime}
   * @throws StorageException TIMEOUT when no link came before the deadline; the cause of the end if
   *     the channel ended
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

  /**
   * Ends the channel and completes the waiting requests, without calling the listeners. Idempotent.
   */
  void close() {
    endListener = cause -> {};
    idleListener = () -> {};
    end(new StorageException(ErrorCode.IO, "replica " + name() + " was closed by its engine"));
  }

  private String name() {
    return location.replica();
  }
}
