package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.CalledLayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHistory;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A replica on another node. Keeps every request until it is answered. When the link is lost, the
 * replica is fenced with a new session, and, if it is the same replica in the same boot of its
 * host, sent everything unanswered again: nobody else notices. A request that stays unanswered for
 * longer than the time-out ends the member, unless no other member works either: then everything
 * waits.
 *
 * <pre>
 *   LINKED --link lost--> LINKING --fenced again, all sent again--> LINKED
 *      '---- time-out ----'----- time-out, another replica, another boot ----> ENDED
 * </pre>
 */
public final class RemoteMember implements Member {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteMember.class);

  private static final Duration RELINK_PAUSE = Duration.ofMillis(100);
  private static final int TICKS = 8;

  /** What the member's engine gives it. */
  public record Surroundings(
      ReplicaLinks links, Executor executor, MemberClock clock, Duration timeout) {}

  /** A control call; may be made again over another link. */
  @FunctionalInterface
  interface Control<T> {
    T over(ReplicaLink link) throws StorageException;
  }

  private final ReplicaLocation location;
  private final long generation;
  private final FencedReplica fenced;
  private final Surroundings around;
  private final ReplicaChain chain = new RemoteChain(this);
  private volatile BooleanSupplier othersWork = () -> true;
  private volatile Consumer<StorageException> endListener = cause -> {};
  private volatile Runnable idleListener = () -> {};

  // Guarded by this.
  private long session;
  private ReplicaLink link;
  private String incarnation;
  private StorageException ended;
  private long lostSince;
  private RemoteRequest oldest;
  private RemoteRequest newest;
  private RemoteRequest pool;

  private RemoteMember(
      ReplicaLocation location, Token token, Surroundings around, ReplicaLink link) {
    this.location = location;
    this.generation = token.generation();
    this.session = token.session();
    this.around = around;
    this.link = link;
    this.fenced = link.fenced();
    this.incarnation = fenced.incarnation();
  }

  /**
   * Fences a replica on another node.
   *
   * @throws StorageException as {@link ReplicaLinks#connect}
   */
  public static RemoteMember fence(ReplicaLocation location, Token token, Surroundings around)
      throws StorageException {
    LinkWatch watch = new LinkWatch();
    ReplicaLink link = around.links().connect(location, token, around.timeout(), watch);
    RemoteMember member = new RemoteMember(location, token, around, link);
    watch.adopted(member, link);
    member.tickLater();
    return member;
  }

  /**
   * Tells whom the member belongs to, from when it is served.
   *
   * @param answer whether another member could go on without this one
   * @param whenEnded told when it can do nothing any more, before its requests end
   * @param whenIdle told then, if no request was under way
   */
  public void serve(
      BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
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

  /** From now on it is waited for no longer than the time-out, whether others work or not. */
  public void hurry() {
    othersWork = () -> true;
  }

  @Override
  public ReplicaLocation location() {
    return location;
  }

  @Override
  public String id() {
    return fenced.identity().id();
  }

  @Override
  public long size() {
    return fenced.size();
  }

  @Override
  public ReplicaHistory history() {
    return fenced.history();
  }

  @Override
  public boolean intact() {
    return fenced.intact();
  }

  @Override
  public boolean incomplete() {
    return fenced.incomplete();
  }

  @Override
  public boolean local() {
    return false;
  }

  @Override
  public boolean chained() {
    return fenced.chained();
  }

  @Override
  public synchronized boolean works() {
    long patience = around.timeout().toNanos() / 2;
    return ended == null
        && link != null
        && (oldest == null || around.clock().nanoTime() - oldest.since() <= patience);
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    send(take().read(offset, target, position, length), done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    send(take().write(offset, source, position, length), done);
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    send(take().zero(offset, length, allocated), done);
  }

  @Override
  public void sync(MemberCompletion done) {
    send(take().sync(), done);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    send(take().extents(offset, length, visitor), done);
  }

  @Override
  public void endOfBatch() {
    ReplicaLink now;
    synchronized (this) {
      now = link;
    }
    if (now != null) {
      now.endOfBatch();
    }
  }

  private synchronized RemoteRequest take() {
    RemoteRequest request = pool;
    if (request == null) {
      return new RemoteRequest(this);
    }
    pool = request.later;
    return request;
  }

  // A request that is sent again over a new link before this thread gives it to the old one goes to
  // a link that is lost, which ignores it.
  private void send(RemoteRequest request, MemberCompletion done) {
    StorageException failure;
    ReplicaLink now;
    synchronized (this) {
      failure = ended;
      now = link;
      if (failure == null) {
        append(request.begin(done, around.clock().nanoTime()));
      } else {
        release(request);
      }
    }
    if (failure != null) {
      done.completed(failure, 0);
    } else if (now != null) {
      request.sendOver(now);
    }
  }

  private void append(RemoteRequest request) {
    request.earlier = newest;
    request.later = null;
    if (newest == null) {
      oldest = request;
    } else {
      newest.later = request;
    }
    newest = request;
  }

  private void release(RemoteRequest request) {
    request.clear();
    request.earlier = null;
    request.later = pool;
    pool = request;
  }

  /** A request has its answer; its object may be used again. */
  synchronized void answered(RemoteRequest request) {
    if (request.earlier == null) {
      oldest = request.later;
    } else {
      request.earlier.later = request.later;
    }
    if (request.later == null) {
      newest = request.earlier;
    } else {
      request.later.earlier = request.earlier;
    }
    release(request);
  }

  /** A link can carry nothing any more: another is made. */
  void lost(ReplicaLink which, StorageException cause) {
    if (giveUp(which)) {
      makeAnother(cause);
    }
  }

  // Returns whether it was the present one.
  private synchronized boolean giveUp(ReplicaLink which) {
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
      ReplicaLink next = around.links().connect(location, token, around.timeout(), watch);
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
      // A full disk lets nobody in, and may be given room.
      case UNREACHABLE, TIMEOUT, BUSY, NO_SPACE -> {
        if (overdue() && othersWork.getAsBoolean()) {
          end(cause);
        } else {
          around.clock().later(RELINK_PAUSE, this::linkAgain);
        }
      }
      case NOT_FOUND, ALREADY_EXISTS, INVALID, UNSUPPORTED, EXPIRED, FORBIDDEN, IO, INTERNAL ->
          end(cause);
    }
  }

  private boolean adopt(ReplicaLink next) {
    List<RemoteRequest> again = new ArrayList<>();
    StorageException changed;
    synchronized (this) {
      changed = ended == null ? changedSince(next.fenced()) : ended;
      if (changed == null) {
        for (RemoteRequest request = oldest; request != null; request = request.later) {
          again.add(request);
        }
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
  // next: the kernel tells of a failure once.
  private StorageException changedSince(FencedReplica now) {
    boolean same =
        now.identity().id().equals(fenced.identity().id()) && now.boot().equals(fenced.boot());
    for (RemoteRequest request = oldest; same && request != null; request = request.later) {
      same = !request.isSync() || now.incarnation().equals(incarnation);
    }
    return same
        ? null
        : new StorageException(
            ErrorCode.IO, "replica " + name() + " came back without what was in its memory");
  }

  private synchronized boolean overdue() {
    long now = around.clock().nanoTime();
    long timeout = around.timeout().toNanos();
    return (oldest != null && now - oldest.since() > timeout)
        || (link == null && now - lostSince > timeout);
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
    ReplicaLink last;
    List<MemberCompletion> unanswered = new ArrayList<>();
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
      for (RemoteRequest request = oldest; request != null; request = request.later) {
        unanswered.add(request);
      }
    }
    // Dropped before its requests end, so that the end of each begins the decision.
    endListener.accept(cause);
    unanswered.forEach(request -> request.completed(cause, 0));
    if (unanswered.isEmpty()) {
      idleListener.run();
    }
  }

  /** Makes a control call, over the next link when the present one is lost meanwhile. */
  <T> T control(Control<T> call) throws StorageException {
    long deadline = System.nanoTime() + around.timeout().toNanos();
    while (true) {
      ReplicaLink now = awaitLink(deadline);
      try {
        return call.over(now);
      } catch (StorageException e) {
        if (e.code() == ErrorCode.FORBIDDEN && !current(now)) {
          // Not another engine, but this one's next session has ended it: made again over that.
          continue;
        }
        if (e.code() != ErrorCode.UNREACHABLE || System.nanoTime() > deadline) {
          throw e;
        }
        replace(now, e);
      }
    }
  }

  // Given up before its session can end, so that other calls know why; and at its end before
  // anything is sent again, so that no late answer of it meets a request's next use.
  private void replace(ReplicaLink which, StorageException cause) {
    boolean present = giveUp(which);
    which.close();
    if (present) {
      makeAnother(cause);
    }
  }

  private synchronized boolean current(ReplicaLink which) {
    return link == which;
  }

  private synchronized ReplicaLink awaitLink(long deadline) throws StorageException {
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

  @Override
  public void mark(BitSet regions) throws StorageException {
    control(
        over -> {
          over.mark(regions);
          return regions;
        });
  }

  @Override
  public void replaceMarks(BitSet marked) throws StorageException {
    control(
        over -> {
          over.replaceMarks(marked);
          return marked;
        });
  }

  @Override
  public void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed)
      throws StorageException {
    control(
        over -> {
          over.recordEpoch(epoch, absent, missed);
          return epoch;
        });
  }

  @Override
  public void seal() throws StorageException {
    control(
        over -> {
          over.seal();
          return over;
        });
  }

  @Override
  public ReplicaChain chain() {
    return chain;
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    return control(over -> over.layer(request));
  }

  @Override
  public LayerBytes layerBytes(String image) {
    return new RemoteLayerBytes(
        "replica " + name() + ", " + image,
        new CalledLayerBytes(this::layer, image),
        () -> control(link -> connected(link, image)));
  }

  private Optional<RemoteLayerBytes.Connected> connected(ReplicaLink link, String image)
      throws StorageException {
    return link.layerBytes(image)
        .map(bytes -> new RemoteLayerBytes.Connected(bytes, cause -> replace(link, cause)));
  }

  @Override
  public void close() {
    endListener = cause -> {};
    idleListener = () -> {};
    end(new StorageException(ErrorCode.IO, "replica " + name() + " was closed by its engine"));
  }
}
