package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.ReplicaOptions;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.EngineCapability;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.LinkedCloneEngine;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.engine.SnapshotContent;
import dev.holdfast.error.StorageException;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneMode;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.LinkState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.ReplicaMode;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.util.Map;
import java.util.Optional;

/**
 * Creates the first replicas of clones. No replica is created before the decision whether all of
 * them share the content of a snapshot or start empty. Until then each replica reports whether it
 * could share.
 */
final class LinkedReplicaProvisioner {
  private static final InitialContentState LATER = new InitialContentState.Later();

  private final ReconcileContext context;

  LinkedReplicaProvisioner(ReconcileContext context) {
    this.context = context;
  }

  /**
   * Makes one step with a replica of a copy.
   *
   * @param copy as stored, because a late cache may lack the decision
   * @param made whether the replica was created before
   */
  InitialContentState attend(Volume copy, Replica replica, EngineProvider engine, boolean made)
      throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    return switch (status.method()) {
      case COPY -> LATER;
      case UNLINK ->
          new InitialContentState.Awaited(
              "the replicas of volume " + replica.spec().volume() + " are made again",
              replica.status().link());
      case LINK ->
          replica.status().link().says(LinkState.LINKED, status.snapshotUID())
              ? LATER
              : link(replica, engine, copy);
      case UNDECIDED ->
          isUndecided(copy) && !made && canLink(engine) && !isThere(replica, engine)
              ? waiting(replica, copy)
              : LATER;
    };
  }

  private static boolean isUndecided(Volume copy) {
    return copy.spec().cloneMode() == CloneMode.LINKED_CLONE
        && copy.status().state() == VolumeState.CREATING
        && !copy.isUsableWhileCopied();
  }

  private static boolean canLink(EngineProvider engine) {
    return engine instanceof LinkedCloneEngine
        && engine.capabilities().contains(EngineCapability.LINKED_CLONE);
  }

  private ReplicaPlaces places(EngineProvider engine) {
    return new ReplicaPlaces(
        Optional.of(engine), context.nodeName(), name -> context.get(Node.KIND, name));
  }

  private boolean isThere(Replica replica, EngineProvider engine) throws StorageException {
    return engine.inspectReplica(places(engine).of(replica)).isPresent();
  }

  private InitialContentState waiting(Replica replica, Volume copy) {
    String source = source(copy);
    return new InitialContentState.Awaited(
        "volume "
            + copy.name()
            + ": it is not decided how it receives the content of "
            + "volume "
            + source,
        judged(replica, copy));
  }

  /** Returns the report of a replica, which is absent until the answer is known. */
  private ReplicaLink judged(Replica replica, Volume copy) {
    Optional<Snapshot> snapshot =
        context
            .get(Snapshot.KIND, copy.status().cloneStatus().snapshot())
            .filter(s -> s.status().readyToUse());
    Optional<Map<String, ReplicaMode>> modes = modes(copy);
    if (snapshot.isEmpty() || modes.isEmpty()) {
      return ReplicaLink.NONE;
    }
    String uid = snapshot.get().metadata().uid();
    if (snapshot.get().status().restoreSize().compareTo(replica.spec().size()) > 0) {
      return new ReplicaLink(uid, LinkState.IMPOSSIBLE, "it is smaller than the snapshot");
    }
    return twin(replica, copy, modes.get())
        .map(twin -> new ReplicaLink(uid, LinkState.POSSIBLE, ""))
        .orElseGet(() -> new ReplicaLink(uid, LinkState.IMPOSSIBLE, noTwin(replica, copy)));
  }

  private InitialContentState link(Replica replica, EngineProvider engine, Volume copy)
      throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    String uid = status.snapshotUID();
    Optional<Snapshot> snapshot =
        context
            .store()
            .get(Snapshot.KIND, status.snapshot())
            .filter(s -> s.metadata().uid().equals(uid));
    if (snapshot.isEmpty() || !canLink(engine)) {
      return impossible(
          uid,
          snapshot.isEmpty()
              ? "snapshot " + status.snapshot() + " is gone"
              : "engine " + engine.name() + " cannot do that any more");
    }
    Optional<Map<String, ReplicaMode>> modes = modes(copy);
    if (modes.isEmpty()) {
      return new InitialContentState.Awaited(
          "volume " + source(copy) + " is not attached", replica.status().link());
    }
    Optional<Replica> twin = twin(replica, copy, modes.get());
    if (twin.isEmpty()) {
      return impossible(uid, noTwin(replica, copy));
    }
    try {
      engine.provisionReplica(
          new ReplicaRequest(
              places(engine).of(replica),
              replica.spec().size().bytes(),
              new SnapshotContent(
                  places(engine).of(twin.get()), snapshot.get().nameInVolume(), uid),
              ReplicaOptions.of(engine, copy.name(), copy.spec().engineOptions())));
    } catch (StorageException e) {
      return failed(uid, e);
    }
    long used =
        engine.inspectReplica(places(engine).of(replica)).map(ReplicaInfo::usedBytes).orElse(0L);
    return new InitialContentState.Present(used, new ReplicaLink(uid, LinkState.LINKED, ""));
  }

  /**
   * Throws transient failures, which are retried. Returns the state for other failures, after which
   * all replicas are created empty.
   */
  private static InitialContentState failed(String uid, StorageException why)
      throws StorageException {
    return switch (why.code()) {
      case BUSY, UNREACHABLE, TIMEOUT, CONFLICT, EXPIRED, NO_SPACE, IO, INTERNAL -> throw why;
      case NOT_FOUND, ALREADY_EXISTS, UNSUPPORTED, INVALID, FORBIDDEN ->
          impossible(uid, String.valueOf(why.getMessage()));
    };
  }

  private static InitialContentState impossible(String uid, String why) {
    return new InitialContentState.Awaited(why, new ReplicaLink(uid, LinkState.IMPOSSIBLE, why));
  }

  private static String source(Volume copy) {
    return copy.spec().cloneSource().orElseThrow().volume();
  }

  private static String noTwin(Replica replica, Volume copy) {
    return "volume "
        + source(copy)
        + " has no current replica on disk "
        + (replica.isOnSharedDisk()
            ? replica.spec().diskUUID()
            : replica.spec().nodeID() + "/" + replica.spec().diskID());
  }

  /** Returns the modes of the replicas of the source's engine, while it runs. */
  private Optional<Map<String, ReplicaMode>> modes(Volume copy) {
    return ActiveEngines.of(source(copy), context)
        .filter(e -> e.spec().dataEngine().equals(copy.spec().dataEngine()))
        .map(Engine::status)
        .filter(s -> s.currentState() == InstanceState.RUNNING)
        .map(s -> s.replicaModeMap());
  }

  /** Returns a current replica of the source on the same disk. */
  private Optional<Replica> twin(Replica replica, Volume copy, Map<String, ReplicaMode> modes) {
    LabelSelector ofSource = LabelSelector.label(Volume.LABEL, source(copy));
    return context.list(Replica.KIND, ofSource).stream()
        .filter(r -> r.spec().nodeID().equals(replica.spec().nodeID()))
        .filter(r -> r.spec().diskID().equals(replica.spec().diskID()))
        .filter(r -> r.spec().diskUUID().equals(replica.spec().diskUUID()))
        .filter(r -> !r.spec().witness() && modes.get(r.name()) == ReplicaMode.RW)
        .findFirst();
  }
}
