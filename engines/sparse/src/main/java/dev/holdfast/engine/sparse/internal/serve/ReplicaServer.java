package dev.holdfast.engine.sparse.internal.serve;

import com.google.protobuf.UnsafeByteOperations;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.replica.ExtentMessages;
import dev.holdfast.engine.sparse.internal.replica.LocalReplica;
import dev.holdfast.engine.sparse.internal.replica.ReplicaMessages;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.ChangesRequest;
import dev.holdfast.engine.sparse.rpc.CoalesceReply;
import dev.holdfast.engine.sparse.rpc.CoalesceRequest;
import dev.holdfast.engine.sparse.rpc.Done;
import dev.holdfast.engine.sparse.rpc.ExtentList;
import dev.holdfast.engine.sparse.rpc.ExtentsRequest;
import dev.holdfast.engine.sparse.rpc.FenceReply;
import dev.holdfast.engine.sparse.rpc.FenceRequest;
import dev.holdfast.engine.sparse.rpc.LayerReply;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.PerformRequest;
import dev.holdfast.engine.sparse.rpc.ReadSnapshotReply;
import dev.holdfast.engine.sparse.rpc.ReadSnapshotRequest;
import dev.holdfast.engine.sparse.rpc.RecordEpochRequest;
import dev.holdfast.engine.sparse.rpc.RegionsRequest;
import dev.holdfast.engine.sparse.rpc.ReplicaControlGrpc;
import dev.holdfast.engine.sparse.rpc.Session;
import dev.holdfast.engine.sparse.rpc.SessionRequest;
import dev.holdfast.engine.sparse.rpc.SnapshotList;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.rpc.CallerNode;
import dev.holdfast.rpc.RpcErrors;
import io.grpc.stub.StreamObserver;
import java.net.URI;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.TreeSet;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Serves the calls of engines on other nodes to this node's replicas. Each call passes the session
 * that it names, so that no call has an effect after a later engine was admitted.
 */
public final class ReplicaServer extends ReplicaControlGrpc.ReplicaControlImplBase {
  private static final Logger LOG = LoggerFactory.getLogger(ReplicaServer.class);
  private static final int MOST_READ = 4 << 20;

  private final ServedSessions sessions;
  private final boolean tls;

  /**
   * Serves replica sessions.
   *
   * @param tls whether the export of bytes requires TLS
   */
  public ReplicaServer(ServedSessions sessions, boolean tls) {
    this.sessions = sessions;
    this.tls = tls;
  }

  /** Body of a call. */
  @FunctionalInterface
  private interface Work<A> {
    A run() throws StorageException;
  }

  /** Body of a call with the replica that it names. */
  @FunctionalInterface
  private interface Asked<A> {
    A of(LocalReplica replica) throws StorageException;
  }

  /** Body of a call with the replica that it names, without an answer. */
  @FunctionalInterface
  private interface Step {
    void on(LocalReplica replica) throws StorageException;
  }

  private static <A> void answer(StreamObserver<A> observer, Work<A> work) {
    A answer;
    try {
      answer = work.run();
    } catch (StorageException e) {
      observer.onError(RpcErrors.toStatus(e));
      return;
    } catch (RuntimeException | Error e) {
      LOG.error("a call of node {} failed", CallerNode.current(), e);
      observer.onError(
          RpcErrors.toStatus(new StorageException(ErrorCode.INTERNAL, "the call failed: " + e, e)));
      return;
    }
    if (answer != null) {
      observer.onNext(answer);
    }
    observer.onCompleted();
  }

  private <A> void answer(StreamObserver<A> observer, Session named, Asked<A> asked) {
    answer(observer, () -> inside(named, asked));
  }

  private void carryOut(StreamObserver<Done> observer, Session named, Step step) {
    answer(
        observer,
        named,
        replica -> {
          step.on(replica);
          return Done.getDefaultInstance();
        });
  }

  private <A> A inside(Session named, Asked<A> asked) throws StorageException {
    ServedSession served = served(named);
    int ticket = served.session().enter();
    if (ticket < 0) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "replica " + named.getReplica() + ": session " + token(named) + " ended");
    }
    try {
      return asked.of(served.session().replica());
    } finally {
      served.session().leave(ticket);
    }
  }

  private ServedSession served(Session named) throws StorageException {
    return sessions.find(named.getVolume(), named.getReplica(), token(named));
  }

  private static Token token(Session named) {
    return ReplicaMessages.token(named.getToken());
  }

  @Override
  public void fence(FenceRequest request, StreamObserver<FenceReply> observer) {
    answer(
        observer,
        () -> {
          ServedSession served =
              sessions.fence(
                  ReplicaMessages.location(request.getLocation()),
                  ReplicaMessages.token(request.getToken()));
          return ReplicaMessages.fenced(served.session().replica().fenced())
              .setDataPort(served.endpoint().map(URI::getPort).orElse(0))
              .setDataExport(served.export())
              .setDataTls(tls)
              .build();
        });
  }

  @Override
  public void mark(RegionsRequest request, StreamObserver<Done> observer) {
    carryOut(
        observer,
        request.getSession(),
        replica -> replica.mark(ReplicaMessages.regions(request.getRegions())));
  }

  @Override
  public void replaceMarks(RegionsRequest request, StreamObserver<Done> observer) {
    carryOut(
        observer,
        request.getSession(),
        replica -> replica.replaceMarks(ReplicaMessages.regions(request.getRegions())));
  }

  @Override
  public void recordEpoch(RecordEpochRequest request, StreamObserver<Done> observer) {
    carryOut(
        observer,
        request.getSession(),
        replica ->
            replica.recordEpoch(
                ReplicaMessages.epoch(request.getEpoch()),
                new TreeSet<>(request.getAbsentList()),
                ReplicaMessages.regions(request.getMissed())));
  }

  @Override
  public void seal(SessionRequest request, StreamObserver<Done> observer) {
    carryOut(observer, request.getSession(), LocalReplica::seal);
  }

  @Override
  public void close(SessionRequest request, StreamObserver<Done> observer) {
    Session named = request.getSession();
    answer(
        observer,
        () -> {
          sessions.close(named.getVolume(), named.getReplica(), token(named));
          return Done.getDefaultInstance();
        });
  }

  @Override
  public void extents(ExtentsRequest request, StreamObserver<ExtentList> observer) {
    answer(
        observer,
        request.getSession(),
        replica -> {
          ExtentMessages messages = new ExtentMessages(observer::onNext);
          StorageException[] failed = new StorageException[1];
          // A local replica completes the request before the call returns.
          replica.extents(
              request.getOffset(),
              request.getLength(),
              messages,
              (failure, done) -> failed[0] = failure);
          if (failed[0] != null) {
            throw failed[0];
          }
          messages.finish();
          return null;
        });
  }

  @Override
  public void perform(PerformRequest request, StreamObserver<Done> observer) {
    Session named = request.getSession();
    answer(
        observer,
        () -> {
          ChainOperation operation = ReplicaMessages.operation(request);
          Done done =
              inside(
                  named,
                  replica -> {
                    replica.chain().perform(operation);
                    return Done.getDefaultInstance();
                  });
          if (operation.kind() == ChainOperation.Kind.EXPAND
              || operation.kind() == ChainOperation.Kind.SHRINK) {
            served(named).grown(operation.sizeBytes());
          }
          return done;
        });
  }

  @Override
  public void snapshots(SessionRequest request, StreamObserver<SnapshotList> observer) {
    answer(
        observer,
        request.getSession(),
        replica -> {
          SnapshotList.Builder list = SnapshotList.newBuilder();
          for (SnapshotInfo snapshot : replica.chain().snapshots()) {
            list.addSnapshots(ReplicaMessages.snapshot(snapshot));
          }
          return list.build();
        });
  }

  @Override
  public void coalesce(CoalesceRequest request, StreamObserver<CoalesceReply> observer) {
    answer(
        observer,
        request.getSession(),
        replica ->
            CoalesceReply.newBuilder()
                .setCoalesced(replica.chain().coalesce(Set.copyOf(request.getLockedList())))
                .build());
  }

  @Override
  public void readSnapshot(
      ReadSnapshotRequest request, StreamObserver<ReadSnapshotReply> observer) {
    answer(
        observer,
        () -> {
          if (request.getLength() < 0 || request.getLength() > MOST_READ) {
            throw new StorageException(
                ErrorCode.INVALID, "length: at most " + MOST_READ + ": " + request.getLength());
          }
          return inside(
              request.getSession(),
              replica -> {
                ByteBuffer bytes = ByteBuffer.allocate(request.getLength());
                replica.chain().read(request.getSnapshot(), request.getOffset(), bytes);
                return ReadSnapshotReply.newBuilder()
                    .setData(UnsafeByteOperations.unsafeWrap(bytes.clear()))
                    .build();
              });
        });
  }

  @Override
  public void layer(LayerRequest request, StreamObserver<LayerReply> observer) {
    Session named = request.getSession();
    answer(
        observer,
        () -> {
          if (request.getKind() == LayerRequest.Kind.OFFER) {
            return inside(named, replica -> offer(named, request.getImage()));
          }
          LayerReply reply = inside(named, replica -> replica.layer(request));
          if (request.getKind() == LayerRequest.Kind.JOIN) {
            served(named).grown(request.getLength());
          }
          return reply;
        });
  }

  private LayerReply offer(Session named, String image) throws StorageException {
    ServedSession served = served(named);
    return LayerReply.newBuilder()
        .setDataExport(served.offer(image))
        .setDataPort(served.endpoint().map(URI::getPort).orElse(0))
        .setDataTls(tls)
        .build();
  }

  @Override
  public void changes(ChangesRequest request, StreamObserver<ExtentList> observer) {
    answer(
        observer,
        request.getSession(),
        replica -> {
          ExtentMessages messages = new ExtentMessages(observer::onNext);
          replica.chain().changes(request.getOlder(), request.getNewer(), messages);
          messages.finish();
          return null;
        });
  }
}
