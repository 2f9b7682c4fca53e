package dev.holdfast.engine.sparse.internal.replica;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.rpc.FenceReply;
import dev.holdfast.engine.sparse.rpc.Location;
import dev.holdfast.engine.sparse.rpc.PerformRequest;
import dev.holdfast.engine.sparse.rpc.Regions;
import dev.holdfast.engine.sparse.rpc.Session;
import dev.holdfast.engine.sparse.rpc.SnapshotEntry;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.BitSet;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** Converts the engine's records to messages and back. */
public final class ReplicaMessages {
  private static final int MOST_REGION_BYTES = 1 << 20;

  private ReplicaMessages() {}

  public static dev.holdfast.engine.sparse.rpc.Token token(Token token) {
    return dev.holdfast.engine.sparse.rpc.Token.newBuilder()
        .setGeneration(token.generation())
        .setSession(token.session())
        .build();
  }

  public static Token token(dev.holdfast.engine.sparse.rpc.Token token) {
    return new Token(token.getGeneration(), token.getSession());
  }

  public static Session session(ReplicaLocation location, Token token) {
    return Session.newBuilder()
        .setVolume(location.volume())
        .setReplica(location.replica())
        .setToken(token(token))
        .build();
  }

  public static Location location(ReplicaLocation location) {
    return Location.newBuilder()
        .setVolume(location.volume())
        .setReplica(location.replica())
        .setNode(location.nodeId())
        .setDiskPath(location.diskPath().toString())
        .setDirectoryName(location.directoryName())
        .setWitness(location.witness())
        .build();
  }

  public static ReplicaLocation location(Location location) throws StorageException {
    try {
      return new ReplicaLocation(
          location.getVolume(),
          location.getReplica(),
          location.getNode(),
          Path.of(location.getDiskPath()),
          location.getDirectoryName(),
          location.getWitness());
    } catch (InvalidPathException e) {
      throw new StorageException(ErrorCode.INVALID, "diskPath: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new StorageException(ErrorCode.INVALID, e.getMessage(), e);
    }
  }

  public static dev.holdfast.engine.sparse.rpc.Epoch epoch(Epoch epoch) {
    return dev.holdfast.engine.sparse.rpc.Epoch.newBuilder()
        .setGeneration(epoch.generation())
        .setNumber(epoch.number())
        .addAllMembers(epoch.members())
        .build();
  }

  public static Epoch epoch(dev.holdfast.engine.sparse.rpc.Epoch epoch) {
    return new Epoch(
        epoch.getGeneration(), epoch.getNumber(), new TreeSet<>(epoch.getMembersList()));
  }

  public static Regions regions(BitSet regions) {
    return Regions.newBuilder().setBits(ByteString.copyFrom(regions.toByteArray())).build();
  }

  public static BitSet regions(Regions regions) throws StorageException {
    if (regions.getBits().size() > MOST_REGION_BYTES) {
      throw new StorageException(
          ErrorCode.INVALID, "regions: no volume has as many as " + 8L * regions.getBits().size());
    }
    return BitSet.valueOf(regions.getBits().asReadOnlyByteBuffer());
  }

  public static FenceReply.Builder fenced(FencedReplica fenced) {
    ReplicaHistory history = fenced.history();
    FenceReply.Builder reply =
        FenceReply.newBuilder()
            .setIdentity(fenced.identity().id())
            .setIdentityVolume(fenced.identity().volume())
            .setIdentityReplica(fenced.identity().replica())
            .setPromise(token(history.promise()))
            .setEpoch(epoch(history.epoch()))
            .setBorn(history.born())
            .setMarkedBoot(history.boot())
            .setMarked(regions(history.marked()))
            .setClean(history.clean())
            .setTampered(history.tampered())
            .setBoot(fenced.boot())
            .setIncarnation(fenced.incarnation())
            .setSize(fenced.size())
            .setIncomplete(fenced.incomplete())
            .setChained(fenced.chained())
            .setBase(fenced.base());
    history.missed().forEach((id, regions) -> reply.putMissed(id, regions(regions)));
    return reply;
  }

  public static FencedReplica fenced(FenceReply reply) throws StorageException {
    Map<String, BitSet> missed = new TreeMap<>();
    for (Map.Entry<String, Regions> absent : reply.getMissedMap().entrySet()) {
      missed.put(absent.getKey(), regions(absent.getValue()));
    }
    ReplicaHistory history =
        new ReplicaHistory(
            token(reply.getPromise()),
            epoch(reply.getEpoch()),
            reply.getBorn(),
            reply.getMarkedBoot(),
            regions(reply.getMarked()),
            missed,
            reply.getClean(),
            reply.getTampered());
    return new FencedReplica(
        new ReplicaIdentity(
            reply.getIdentity(), reply.getIdentityVolume(), reply.getIdentityReplica()),
        history,
        reply.getBoot(),
        reply.getIncarnation(),
        reply.getSize(),
        reply.getIncomplete(),
        reply.getChained(),
        reply.getBase());
  }

  public static PerformRequest.Builder operation(ChainOperation operation) {
    return PerformRequest.newBuilder()
        .setId(operation.id())
        .setKind(
            switch (operation.kind()) {
              case SNAPSHOT -> PerformRequest.Kind.SNAPSHOT;
              case REVERT -> PerformRequest.Kind.REVERT;
              case REMOVE -> PerformRequest.Kind.REMOVE;
              case EXPAND -> PerformRequest.Kind.EXPAND;
              case SHRINK -> PerformRequest.Kind.SHRINK;
            })
        .setSnapshot(operation.snapshot())
        .setUserCreated(operation.userCreated())
        .setCreated(operation.created())
        .putAllLabels(operation.labels())
        .setSizeBytes(operation.sizeBytes());
  }

  public static ChainOperation operation(PerformRequest request) throws StorageException {
    ChainOperation.Kind kind =
        switch (request.getKind()) {
          case SNAPSHOT -> ChainOperation.Kind.SNAPSHOT;
          case REVERT -> ChainOperation.Kind.REVERT;
          case REMOVE -> ChainOperation.Kind.REMOVE;
          case EXPAND -> ChainOperation.Kind.EXPAND;
          case SHRINK -> ChainOperation.Kind.SHRINK;
          case KIND_UNSPECIFIED, UNRECOGNIZED ->
              throw new StorageException(
                  ErrorCode.UNSUPPORTED, "kind: this node does not know the operation");
        };
    return new ChainOperation(
        request.getId(),
        kind,
        request.getSnapshot(),
        request.getUserCreated(),
        request.getCreated(),
        request.getLabelsMap(),
        request.getSizeBytes());
  }

  public static SnapshotEntry snapshot(SnapshotInfo snapshot) {
    return SnapshotEntry.newBuilder()
        .setName(snapshot.name())
        .setParent(snapshot.parent())
        .addAllChildren(snapshot.children())
        .setRemoved(snapshot.removed())
        .setUserCreated(snapshot.userCreated())
        .setCreated(snapshot.created().toString())
        .putAllLabels(snapshot.labels())
        .setUsedBytes(snapshot.usedBytes())
        .setChecksum(snapshot.checksum())
        .setShared(snapshot.shared())
        .build();
  }

  public static SnapshotInfo snapshot(SnapshotEntry entry) throws StorageException {
    try {
      return new SnapshotInfo(
          entry.getName(),
          entry.getParent(),
          entry.getChildrenList(),
          entry.getRemoved(),
          entry.getUserCreated(),
          Instant.parse(entry.getCreated()),
          entry.getLabelsMap(),
          entry.getUsedBytes(),
          entry.getChecksum(),
          entry.getShared());
    } catch (DateTimeException e) {
      throw new StorageException(
          ErrorCode.INVALID, "snapshot " + entry.getName() + ": " + e.getMessage(), e);
    }
  }
}
