package dev.holdfast.volume.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadAttachments;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Makes a volume's parts, opens and closes them, and tells of them in its status. What the cache
 * suggests is decided again on what the store holds before anything is written; every write is a
 * compare-and-set, so two controllers at a time only get in each other's way.
 */
@Component(service = Reconciler.class)
public final class VolumeReconciler implements Reconciler<Volume> {
  /** A replica that goes and leaves its space wakes its own volume only. */
  private static final Duration FIND_SPACE = Duration.ofSeconds(10);

  /** Every other change wakes this reconciler; this is for what a defect may let slip through. */
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final VolumePolicy policy;
  private final WorkloadAttachments workloads;

  /**
   * Creates the reconciler.
   *
   * @param store may know in which places workloads use a volume
   */
  @Activate
  public VolumeReconciler(@Reference ResourceStore store) {
    this(
        new VolumePlanner(),
        store instanceof WorkloadAttachments attachments ? attachments : volume -> List.of());
  }

  VolumeReconciler(VolumePolicy policy, WorkloadAttachments workloads) {
    this.policy = policy;
    this.workloads = workloads;
  }

  @Override
  public String name() {
    return "volume";
  }

  @Override
  public ResourceKind<Volume> kind() {
    return Volume.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Engine.KIND, engine -> List.of(engine.spec().volume())),
        new Watched<>(Replica.KIND, replica -> List.of(replica.spec().volume())),
        new Watched<>(VolumeAttachment.KIND, attachment -> List.of(attachment.name())),
        new Watched<>(Snapshot.KIND, snapshot -> List.of(snapshot.spec().volume())),
        new Watched<>(BackingImage.KIND, image -> List.of()),
        Watched.wakingAll(Node.KIND),
        Watched.wakingAll(Setting.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> cached = context.get(Volume.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    VolumeView seen = cachedView(cached.get(), context);
    VolumePlan suggested = policy.next(seen);
    if (hasFinalizer(cached.get()) && suggested.changesNothing(cached.get().status())) {
      return again(suggested, context);
    }
    Optional<Volume> stored = context.store().get(Volume.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    return step(stored.get(), context);
  }

  private Result step(Volume stored, ReconcileContext context) throws StorageException {
    if (!hasFinalizer(stored) && stored.isBeingDeleted()) {
      return Result.DONE;
    }
    Volume volume = stored;
    if (!hasFinalizer(stored)) {
      volume =
          context
              .store()
              .update(stored.withMetadata(stored.metadata().plusFinalizer(Volume.FINALIZER)));
    }
    VolumeView view = storedView(volume, context);
    VolumePlan plan = policy.next(view);
    if (plan.newAttachment().isPresent()) {
      createAttachment(volume, context);
    }
    apply(plan, context);
    if (plan.disposal() && dispose(view, context)) {
      context
          .store()
          .update(volume.withMetadata(volume.metadata().minusFinalizer(Volume.FINALIZER)));
      return Result.DONE;
    }
    if (plan.spec().isPresent()) {
      volume = context.store().update(volume.withSpec(plan.spec().get()));
    }
    if (!plan.status().equals(volume.status())) {
      context.store().updateStatus(volume.withStatus(plan.status()));
      VolumeEvents.tell(volume, plan.status(), context.events());
    }
    VolumeEvents.tell(volume, plan.notes(), context.events());
    if (plan.deletion()) {
      delete(Volume.KIND, volume, context);
      return Result.DONE;
    }
    return again(plan, context);
  }

  /** A pod's ticket that is not derived here would not be found when the pod ends. */
  private void createAttachment(Volume volume, ReconcileContext context) throws StorageException {
    List<WorkloadAttachments.Attached> attached =
        ImportedTickets.mayBeInUse(volume) ? workloads.of(volume.name()) : List.of();
    create(ImportedTickets.attachment(volume, attached), context);
  }

  private static void apply(VolumePlan plan, ReconcileContext context) throws StorageException {
    if (plan.newEngine().isPresent()) {
      create(plan.newEngine().get(), context);
    }
    for (Replica replica : plan.newReplicas()) {
      create(replica, context);
    }
    for (Replica replica : plan.replicas()) {
      context.store().update(replica);
    }
    for (Replica replica : plan.owners()) {
      context.store().updateStatus(replica);
    }
    if (plan.engine().isPresent()) {
      context.store().update(plan.engine().get());
    }
    for (Replica replica : plan.released()) {
      context
          .store()
          .update(replica.withMetadata(replica.metadata().minusFinalizer(Replica.FINALIZER)));
    }
    for (Replica replica : plan.deleted()) {
      delete(Replica.KIND, replica, context);
    }
  }

  /** Creates a resource. An existing one was made before a crash, or by another controller. */
  private static <R extends Resource<R>> void create(R resource, ReconcileContext context)
      throws StorageException {
    try {
      context.store().create(resource);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  /** Deletes the parts; returns whether all are gone. */
  private static boolean dispose(VolumeView view, ReconcileContext context)
      throws StorageException {
    // The plan knows that the active engine is closed. Any other goes before the data of its
    // replicas does, so that its node closes it first.
    List<Resource<?>> parts = new ArrayList<>(otherEngines(view.volume(), context));
    if (parts.isEmpty()) {
      parts.addAll(view.replicas());
      view.engine().ifPresent(parts::add);
    }
    if (parts.isEmpty() && view.attachment().isEmpty()) {
      return true;
    }
    // The tickets go last, so that clients that wait for their end still find them.
    if (parts.isEmpty()) {
      parts.add(view.attachment().get());
    }
    for (Resource<?> part : parts) {
      if (!part.isBeingDeleted()) {
        delete(part.resourceKind(), part, context);
      }
    }
    return false;
  }

  private static List<Engine> otherEngines(Volume volume, ReconcileContext context)
      throws StorageException {
    return context.store().list(Engine.KIND, LabelSelector.ALL).items().stream()
        .filter(engine -> engine.spec().volume().equals(volume.name()))
        .filter(engine -> !volume.follows(engine))
        .toList();
  }

  private static <R extends Resource<R>> void delete(
      ResourceKind<R> kind, Resource<?> part, ReconcileContext context) throws StorageException {
    try {
      context.store().delete(kind, part.name(), part.metadata().uid());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
    }
  }

  private static boolean hasFinalizer(Volume volume) {
    return volume.metadata().hasFinalizer(Volume.FINALIZER);
  }

  private static VolumeView cachedView(Volume volume, ReconcileContext context) {
    List<Engine> engines = context.list(Engine.KIND, LabelSelector.ALL);
    return view(
        volume,
        new Parts(
            engines.stream().filter(volume::follows).findFirst(),
            context.list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name())),
            context.get(VolumeAttachment.KIND, volume.name())),
        context.list(Node.KIND, LabelSelector.ALL),
        engines,
        context);
  }

  /** Nodes too: one that a late cache does not have yet must not pass for one that is gone. */
  private static VolumeView storedView(Volume volume, ReconcileContext context)
      throws StorageException {
    List<Engine> engines = context.store().list(Engine.KIND, LabelSelector.ALL).items();
    return view(
        volume,
        new Parts(
            engines.stream().filter(volume::follows).findFirst(),
            context
                .store()
                .list(Replica.KIND, LabelSelector.label(Volume.LABEL, volume.name()))
                .items(),
            context.store().get(VolumeAttachment.KIND, volume.name())),
        context.store().list(Node.KIND, LabelSelector.ALL).items(),
        engines,
        context);
  }

  /** The resources of one volume. */
  private record Parts(
      Optional<Engine> engine, List<Replica> replicas, Optional<VolumeAttachment> attachment) {}

  private static VolumeView view(
      Volume volume,
      Parts parts,
      List<Node> nodes,
      List<Engine> engines,
      ReconcileContext context) {
    List<Replica> others =
        context.list(Replica.KIND, LabelSelector.ALL).stream()
            .filter(replica -> !replica.spec().volume().equals(volume.name()))
            .toList();
    List<Replica> all = new ArrayList<>(parts.replicas());
    all.addAll(others);
    return new VolumeView(
        volume,
        parts.engine(),
        parts.replicas(),
        parts.attachment(),
        new NodeInventory(nodes, imageDisks(volume, context)),
        all,
        rebuilds(engines, others),
        SnapshotSummary.of(volume, context.list(Snapshot.KIND, LabelSelector.ALL)),
        VolumeSettings.of(context.list(Setting.KIND, LabelSelector.ALL)),
        context.clock().instant());
  }

  /** The disks on which a replica need not wait for the image; only an order of preference. */
  private static Set<String> imageDisks(Volume volume, ReconcileContext context) {
    String name = volume.spec().backingImage();
    Set<String> disks = new TreeSet<>();
    if (!name.isEmpty()) {
      context
          .get(BackingImage.KIND, name)
          .ifPresent(
              image ->
                  image
                      .status()
                      .diskFileStatusMap()
                      .forEach(
                          (disk, file) -> {
                            if (file.state() == ImageState.READY) {
                              disks.add(disk);
                            }
                          }));
    }
    return disks;
  }

  /** How many replicas of other volumes are being rebuilt, by node. */
  private static Map<String, Integer> rebuilds(List<Engine> engines, List<Replica> others) {
    Set<String> targets =
        engines.stream().map(e -> e.spec().rebuildReplica()).collect(Collectors.toSet());
    Map<String, Integer> counts = new TreeMap<>();
    others.stream()
        .filter(replica -> targets.contains(replica.name()))
        .forEach(replica -> counts.merge(replica.spec().nodeID(), 1, Integer::sum));
    return counts;
  }

  private static Result again(VolumePlan plan, ReconcileContext context) {
    boolean placed =
        Condition.find(plan.status().conditions(), VolumeConditions.SCHEDULED)
            .filter(condition -> condition.status() == Condition.Status.FALSE)
            .isEmpty();
    Duration longest =
        placed
            ? FaultRetry.left(plan.status(), context.clock().instant()).orElse(PERIOD)
            : FIND_SPACE;
    return Result.after(
        plan.again().filter(sooner -> sooner.compareTo(longest) < 0).orElse(longest));
  }
}
