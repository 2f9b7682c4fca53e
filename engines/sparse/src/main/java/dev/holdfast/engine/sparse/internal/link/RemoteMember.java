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
import java.util.BitSet;
import java.util.Optional;
import java.util.SortedSet;
import java.util.concurrent.Executor;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

/**
 * A replica on another node, behind a {@link ReplicaChannel}. The channel keeps data requests until
 * their replies; control calls are repeated after a lost link.
 */
public final class RemoteMember implements Member {
  /** The services that the member's engine provides. */
  public record Surroundings(
      ReplicaLinks links, Executor executor, MemberClock clock, Duration timeout) {}

  /** A control call; may be repeated over another link. */
  @FunctionalInterface
  interface Control<T> {
    T over(ReplicaSessionLink link) throws StorageException;
  }

  private final ReplicaLocation location;
  private final Duration timeout;
  private final ReplicaChannel channel;
  private final FencedReplica fenced;
  private final ReplicaChain chain = new RemoteChain(this);

  private RemoteMember(ReplicaLocation location, Duration timeout, ReplicaChannel channel) {
    this.location = location;
    this.timeout = timeout;
    this.channel = channel;
    this.fenced = channel.fenced();
  }

  /**
   * Fences a replica on another node.
   *
   * @throws StorageException as {@link ReplicaLinks#connect}
   */
  public static RemoteMember fence(ReplicaLocation location, Token token, Surroundings around)
      throws StorageException {
    return new RemoteMember(
        location, around.timeout(), ReplicaChannel.fence(location, token, around));
  }

  /**
   * Sets the owner of the member when it starts to serve.
   *
   * @param answer whether another member could serve without this one
   * @param whenEnded called when the member can change nothing more, before its requests end
   * @param whenIdle called at the same time if no request was in flight
   */
  public void serve(
      BooleanSupplier answer, Consumer<StorageException> whenEnded, Runnable whenIdle) {
    channel.serve(answer, whenEnded, whenIdle);
  }

  /** Limits later waits for this member to the time-out, even if no other member works. */
  public void hurry() {
    channel.hurry();
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
  public String base() {
    return fenced.base();
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
  public boolean works() {
    return channel.works();
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    channel.send(channel.take().read(offset, target, position, length), done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    channel.send(channel.take().write(offset, source, position, length), done);
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    channel.send(channel.take().zero(offset, length, allocated), done);
  }

  @Override
  public void sync(MemberCompletion done) {
    channel.send(channel.take().sync(), done);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    channel.send(channel.take().extents(offset, length, visitor), done);
  }

  @Override
  public void endOfBatch() {
    channel.endOfBatch();
  }

  /**
   * Makes a control call. Repeats it over the next link when the present one is lost or refused.
   */
  <T> T control(Control<T> call) throws StorageException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      ReplicaSessionLink now = channel.awaitLink(deadline);
      try {
        return call.over(now);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.UNREACHABLE && !provesNothing(e)) {
          throw e;
        }
        if (System.nanoTime() > deadline) {
          throw new StorageException(ErrorCode.UNREACHABLE, e.getMessage(), e);
        }
        channel.replace(now, e);
      }
    }
  }

  // The other node does not know the session. Its process or bundle was replaced, a later session
  // of this engine ended this one, or a later engine was admitted. Only the next fence can
  // distinguish these.
  private static boolean provesNothing(StorageException failure) {
    return failure.code() == ErrorCode.FORBIDDEN;
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

  private Optional<RemoteLayerBytes.Connected> connected(ReplicaSessionLink link, String image)
      throws StorageException {
    return link.layerBytes(image)
        .map(bytes -> new RemoteLayerBytes.Connected(bytes, cause -> channel.replace(link, cause)));
  }

  @Override
  public void close() {
    channel.close();
  }
}
