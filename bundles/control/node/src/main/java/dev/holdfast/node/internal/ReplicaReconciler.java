package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.ActiveEngines;
import dev.holdfast.datapath.ConditionReasons;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.ReplicaOptions;
import dev.holdfast.datapath.ReplicaPlaces;
import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.EmptyContent;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.engine.ReplicaInfo;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.ReplicaRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.deletion.DeletedVolumeState;
import dev.holdfast.resource.node.DiskSpec;
import dev.holdfast.resource.node.DiskStatus;
import dev.holdfast.resource.node.DiskType;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeReplica;
import dev.holdfast.resource.volume.VolumeState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Provisions and removes replicas on this node's disks. A replica is never provisioned twice,
 * because an empty replacement would pass for a copy.
 */
@Component(service = Reconciler.class, enabled = false)
public final class ReplicaReconciler implements Reconciler<Replica> {
  public static final String FINALIZER = Replica.FINALIZER;
  private static final Duration PERIOD = Duration.ofSeconds(15);
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final InstalledPlugins plugins;
  private final ReplicaContents contents;

  /**
   * Creates the reconciler.
   *
   * @param plugins the engines that are installed
   * @param contents the sources of first content that are installed
   */
  @Activate
  public ReplicaReconciler(
      @Reference InstalledPlugins plugins, @Reference ReplicaContents contents) {
    this.plugins = plugins;
    this.contents = contents;
  }

  @Override
  public String name() {
    return "replica";
  }

  @Override
  public ResourceKind<Replica> kind() {
    return Replica.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Engine.KIND, engine -> engine.status().replicaModeMap().keySet()),
        new Watched<>(Volume.KIND, ReplicaReconciler::ofCopy));
  }

  /** Returns the replicas that may wait for the decision about their method of creation. */
  private static List<String> ofCopy(Volume volume) {
    return volume.awaitsContent() && volume.status().state() == VolumeState.CREATING
        ? volume.status().replicas().stream().map(VolumeReplica::name).toList()
        : List.of();
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Replica> found = context.get(Replica.KIND, name);
    if (found.isEmpty() || !found.get().ownerNode().equals(context.nodeName())) {
      return Result.DONE;
    }
    Replica replica = found.get();
    if (replica.isBeingDeleted()) {
      Optional<Replica> disposable = disposable(replica, context);
      if (disposable.isPresent()) {
        return delete(disposable.get(), context);
      }
    } else if (!replica.metadata().hasFinalizer(FINALIZER)) {
      replica =
          context.store().update(replica.withMetadata(replica.metadata().plusFinalizer(FINALIZER)));
    }
    ReplicaInspection finding = provision(replica, context);
    Optional<Engine> engine = ActiveEngines.of(replica.spec().volume(), context);
    ReplicaStatus status = ReplicaStatuses.of(replica, finding, engine, context.clock().instant());
    if (replica.isBeingDeleted()) {
      status = ReplicaStatuses.kept(replica, status, context.clock().instant());
    }
    if (!status.equals(replica.status())) {
      context.store().updateStatus(replica.withStatus(status));
    }
    return Result.after(finding.fault().isPresent() ? RETRY : PERIOD);
  }

  /**
   * Returns a deleted replica whose data may be removed, marked so that engines do not open it. The
   * volume controller marks the replicas of a retained volume.
   */
  private static Optional<Replica> disposable(Replica replica, ReconcileContext context)
      throws StorageException {
    if (replica.isDisposable() || !replica.metadata().hasFinalizer(FINALIZER)) {
      return Optional.of(replica);
    }
    String volume = replica.spec().volume();
    boolean inUse =
        isKept(volume, context)
            || context
                .store()
                .get(Volume.KIND, volume)
                .filter(ReplicaReconciler::wasMade)
                .isPresent()
            // The volume may have been deleted between the two reads.
            || isKept(volume, context);
    return inUse ? Optional.empty() : Optional.of(context.store().update(replica.disposable()));
  }

  /**
   * Returns whether the content of a deleted volume is retained, or transferred to the restored
   * volume.
   */
  private static boolean isKept(String volume, ReconcileContext context) throws StorageException {
    return context
        .store()
        .get(DeletedVolume.KIND, volume)
        .filter(deleted -> deleted.status().state() != DeletedVolumeState.PURGING)
        .isPresent();
  }

  /** Returns whether a volume may hold data, or may soon be opened. */
  private static boolean wasMade(Volume volume) {
    return switch (volume.status().state()) {
      case CREATING, DELETING -> false;
      case DETACHED, ATTACHING, ATTACHED, DETACHING -> true;
    };
  }

  private ReplicaInspection provision(Replica replica, ReconcileContext context) {
    try {
      Optional<DiskProbe.Fault> diskFault = diskFault(replica, context);
      if (diskFault.isPresent()) {
        return ReplicaInspection.faulty(diskFault.get());
      }
      EngineProvider engine = engine(replica, context);
      boolean made = wasProvisioned(replica, context);
      Optional<ReplicaInspection> first = contents.attend(replica, engine, made, context);
      if (first.isPresent()) {
        return first.get();
      }
      ReplicaLocation location = location(replica, engine, context);
      Optional<ReplicaInfo> present = engine.inspectReplica(location);
      if (present.isEmpty() && made) {
        return ReplicaInspection.missing(
            "replica "
                + replica.name()
                + " is gone from "
                + place(location)
                + ": restore it, or delete the replica");
      }
      if (present.isEmpty()) {
        requireOwner(replica, context);
        engine.provisionReplica(
            new ReplicaRequest(
                location,
                replica.spec().size().bytes(),
                new EmptyContent(),
                ReplicaOptions.of(replica, engine, context)));
        present = engine.inspectReplica(location);
      }
      return ReplicaInspection.present(present.map(ReplicaInfo::usedBytes).orElse(0L));
    } catch (StorageException e) {
      return ReplicaInspection.faulty(
          new DiskProbe.Fault(ConditionReasons.of(e.code()), String.valueOf(e.getMessage())));
    }
  }

  private static ReplicaLocation location(
      Replica replica, EngineProvider engine, ReconcileContext context) throws StorageException {
    return new ReplicaPlaces(
            Optional.of(engine), context.nodeName(), name -> context.get(Node.KIND, name))
        .of(replica);
  }

  private static String place(ReplicaLocation location) {
    return location.disk().kind() == DiskKind.DIRECTORY
        ? location.directory().toString()
        : location.directoryName() + " on " + location.diskPath();
  }

  /**
   * Checks the ownership, because on a shared disk another node may have become the owner and may
   * have removed the replica.
   */
  private static void requireOwner(Replica replica, ReconcileContext context)
      throws StorageException {
    boolean owner =
        !replica.isOnSharedDisk()
            || context
                .store()
                .get(Replica.KIND, replica.name())
                .filter(found -> found.metadata().uid().equals(replica.metadata().uid()))
                .filter(found -> found.ownerNode().equals(context.nodeName()))
                .isPresent();
    if (!owner) {
      throw new StorageException(
          ErrorCode.CONFLICT, "replica " + replica.name() + ": another node reconciles it now");
    }
  }

  /**
   * Reads the store, because an outdated cache could lead to the replacement of lost data by an
   * empty replica.
   */
  private static boolean wasProvisioned(Replica replica, ReconcileContext context)
      throws StorageException {
    return replica.wasProvisioned()
        || context
            .store()
            .get(Replica.KIND, replica.name())
            .filter(Replica::wasProvisioned)
            .isPresent();
  }

  private EngineProvider engine(Replica replica, ReconcileContext context) throws StorageException {
    String name = replica.spec().dataEngine();
    return plugins
        .engine(name)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    "replica "
                        + replica.name()
                        + ": engine "
                        + name
                        + " is not installed on node "
                        + context.nodeName()
                        + ": install its bundle"));
  }

  /** Checks the disk itself, because the node's status may be outdated. */
  private Optional<DiskProbe.Fault> diskFault(Replica replica, ReconcileContext context) {
    Optional<Node> node = context.get(Node.KIND, context.nodeName());
    String disk =
        replica.isOnSharedDisk()
            ? node.flatMap(replica::diskOn).orElse("")
            : replica.spec().diskID();
    DiskStatus registered =
        node.map(n -> n.status().diskStatus().getOrDefault(disk, DiskStatus.EMPTY))
            .orElse(DiskStatus.EMPTY);
    if (registered.diskUUID().isEmpty()) {
      String name = replica.isOnSharedDisk() ? replica.spec().diskUUID() : disk;
      return Optional.of(
          new DiskProbe.Fault(
              Replica.DISK_UNKNOWN_REASON,
              "disk " + name + " is not registered on node " + context.nodeName()));
    }
    DiskSpec spec = node.get().spec().disks().getOrDefault(disk, DiskSpec.EMPTY);
    if (spec.type() != DiskType.DIRECTORY) {
      return new EngineDiskProbe(plugins, context.nodeName()).fault(disk, spec, registered);
    }
    String path = replica.isOnSharedDisk() ? spec.path() : replica.spec().diskPath();
    return DiskProbe.fault(Path.of(path), registered);
  }

  private Result delete(Replica replica, ReconcileContext context) throws StorageException {
    if (!replica.metadata().hasFinalizer(FINALIZER)) {
      return Result.DONE;
    }
    if (!diskGivenUp(replica, context)) {
      Optional<DiskProbe.Fault> fault = diskFault(replica, context);
      if (fault.isPresent()) {
        return deletionWaits(replica, fault.get(), context);
      }
      try {
        EngineProvider engine = engine(replica, context);
        engine.deleteReplica(location(replica, engine, context));
      } catch (StorageException e) {
        return deletionWaits(
            replica,
            new DiskProbe.Fault(ConditionReasons.of(e.code()), String.valueOf(e.getMessage())),
            context);
      }
    }
    context.store().update(replica.withMetadata(replica.metadata().minusFinalizer(FINALIZER)));
    return Result.DONE;
  }

  /**
   * Returns whether the administrator removed the disk with its data from the node; a shared disk
   * keeps its data.
   */
  private static boolean diskGivenUp(Replica replica, ReconcileContext context) {
    return !replica.isOnSharedDisk()
        && context
            .get(Node.KIND, replica.spec().nodeID())
            .filter(node -> !node.spec().disks().containsKey(replica.spec().diskID()))
            .isPresent();
  }

  private static Result deletionWaits(
      Replica replica, DiskProbe.Fault fault, ReconcileContext context) throws StorageException {
    ReplicaStatus status =
        replica
            .status()
            .withConditions(
                Condition.with(
                    replica.status().conditions(),
                    ReplicaStatuses.DELETING,
                    Condition.Status.FALSE,
                    fault.reason(),
                    fault.message(),
                    context.clock().instant()));
    if (!status.equals(replica.status())) {
      context.store().updateStatus(replica.withStatus(status));
    }
    return Result.after(RETRY);
  }
}
