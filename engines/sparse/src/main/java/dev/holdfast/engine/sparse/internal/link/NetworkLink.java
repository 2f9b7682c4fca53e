package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.sparse.internal.chain.ReplicaChain;
import dev.holdfast.engine.sparse.internal.replica.Epoch;
import dev.holdfast.engine.sparse.internal.replica.FencedReplica;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.MemberCompletion;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.internal.wire.LayerConnection;
import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.engine.sparse.rpc.ExtentsRequest;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.engine.sparse.rpc.RecordEpochRequest;
import dev.holdfast.engine.sparse.rpc.RegionsRequest;
import dev.holdfast.engine.sparse.rpc.SessionRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A session with a replica on another node: NBD transfers bytes, gRPC calls do the rest. */
final class NetworkLink implements ReplicaSessionLink {
  private static final Logger LOG = LoggerFactory.getLogger(NetworkLink.class);

  /** Connects to the offered bytes of a layer. */
  @FunctionalInterface
  interface LayerConnector {
    LayerConnection connect(LayerReply offer, Runnable whenClosed) throws StorageException;
  }

  private final FencedReplica fenced;
  private final ReplicaCalls calls;
  private final LinkData data;
  private final Executor executor;
  private final LayerConnector connector;
  private final ReplicaChain chain;
  private final Set<LayerConnection> layers = ConcurrentHashMap.newKeySet();
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Combines the data connection and the calls.
   *
   * @param data the connected transfer of bytes
   * @param connector connects to the bytes of layers
   */
  NetworkLink(
      FencedReplica fenced,
      ReplicaCalls calls,
      LinkData data,
      Executor executor,
      LayerConnector connector) {
    this.fenced = fenced;
    this.calls = calls;
    this.data = data;
    this.executor = executor;
    this.connector = connector;
    this.chain = new LinkChain(calls);
  }

  @Override
  public FencedReplica fenced() {
    return fenced;
  }

  @Override
  public void read(
      long offset, ByteBuffer target, int position, int length, MemberCompletion done) {
    data.readAll(offset, target, position, length, done);
  }

  @Override
  public void write(
      long offset, ByteBuffer source, int position, int length, MemberCompletion done) {
    data.writeAll(offset, source, position, length, done);
  }

  @Override
  public void zero(long offset, long length, boolean allocated, MemberCompletion done) {
    data.zeroAll(offset, length, allocated, done);
  }

  @Override
  public void sync(MemberCompletion done) {
    data.sync(done);
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, MemberCompletion done) {
    ExtentsRequest request =
        ExtentsRequest.newBuilder()
            .setSession(calls.session())
            .setOffset(offset)
            .setLength(length)
            .build();
    try {
      executor.execute(() -> extents(request, visitor, done));
    } catch (RejectedExecutionException e) {
      // The transport is stopping. The channel sends the request again once it learns that the link
      // is lost.
      LOG.debug("replica {}: the transport has stopped", fenced.identity(), e);
    }
  }

  // Completed inside the call, because the loss of the link is reported only after the call ended.
  private void extents(ExtentsRequest request, ExtentVisitor visitor, MemberCompletion done) {
    try {
      calls.call(
          stub -> {
            StorageException failure = null;
            try {
              LinkChain.visit(stub.extents(request), visitor);
            } catch (StorageException e) {
              failure = e;
            }
            done.completed(failure, 0);
            return Boolean.TRUE;
          });
    } catch (StorageException e) {
      if (!data.dead()) {
        done.completed(e, 0);
      }
    }
  }

  @Override
  public void endOfBatch() {
    data.endOfBatch();
  }

  @Override
  public void mark(BitSet regions) throws StorageException {
    RegionsRequest request = regions(regions);
    calls.call(stub -> stub.mark(request));
  }

  @Override
  public void replaceMarks(BitSet marked) throws StorageException {
    RegionsRequest request = regions(marked);
    calls.call(stub -> stub.replaceMarks(request));
  }

  private RegionsRequest regions(BitSet regions) {
    return RegionsRequest.newBuilder()
        .setSession(calls.session())
        .setRegions(ReplicaMessages.regions(regions))
        .build();
  }

  @Override
  public void recordEpoch(Epoch epoch, SortedSet<String> absent, BitSet missed)
      throws StorageException {
    RecordEpochRequest request =
        RecordEpochRequest.newBuilder()
            .setSession(calls.session())
            .setEpoch(ReplicaMessages.epoch(epoch))
            .addAllAbsent(absent)
            .setMissed(ReplicaMessages.regions(missed))
            .build();
    calls.call(stub -> stub.recordEpoch(request));
  }

  @Override
  public void seal() throws StorageException {
    calls.call(stub -> stub.seal(session()));
  }

  private SessionRequest session() {
    return SessionRequest.newBuilder().setSession(calls.session()).build();
  }

  @Override
  public ReplicaChain chain() {
    return chain;
  }

  @Override
  public LayerReply layer(LayerRequest request) throws StorageException {
    LayerRequest named = request.toBuilder().setSession(calls.session()).build();
    return calls.callLong(stub -> stub.layer(named));
  }

  @Override
  public Optional<LayerBytes> layerBytes(String image) throws StorageException {
    LayerReply offer;
    try {
      offer = layer(LayerRequest.newBuilder().setKind(Kind.OFFER).setImage(image).build());
    } catch (StorageException e) {
      if (e.code() == ErrorCode.UNSUPPORTED) {
        return Optional.empty();
      }
      throw e;
    }
    try {
      return Optional.of(connect(offer));
    } catch (StorageException e) {
      LOG.debug("replica {}: using calls to transfer {}", fenced.identity(), image, e);
      return Optional.empty();
    }
  }

  private LayerConnection connect(LayerReply offer) throws StorageException {
    LayerConnection[] made = new LayerConnection[1];
    made[0] = connector.connect(offer, () -> layers.remove(made[0]));
    layers.add(made[0]);
    if (closed.get()) {
      made[0].close();
    }
    return made[0];
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      data.close();
      layers.forEach(LayerConnection::sever);
      // The other node releases the replica when it receives the call; a later session ends this
      // one
      // too.
      try {
        executor.execute(this::release);
      } catch (RejectedExecutionException e) {
        LOG.debug("replica {}: the transport has stopped before its session", fenced.identity(), e);
      }
    }
  }

  private void release() {
    try {
      calls.call(stub -> stub.close(session()));
    } catch (StorageException e) {
      LOG.debug("replica {}: could not end its session", fenced.identity(), e);
    }
    calls.stop(new StorageException(ErrorCode.IO, "the session was closed"), () -> {});
  }
}
