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
import dev.holdfast.resource.deletion.DeletedVolume;
import dev.holdfast.resource.image.BackingImage;
import dev.holdfast.resource.image.ImageState;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.WorkloadAttachments;
import dev.holdfast.volume.internal.deleted.KeptVolume;
import dev.holdfast.volume.internal.deleted.VolumeParts;
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
 * Creates, opens and closes the engine and the replicas of a volume, and reports them in its
 * status. Before it writes, it repeats the decision on an uncached read. Every write is a
 * compare-and-set, so two controllers at a time only delay each other.
 */
@Component(service = Reconciler.class)
public final class VolumeReconciler implements Reconciler<Volume> {
  /** Interval of the search for space, because a removed replica triggers only its own volume. */
  private static final Duration FIND_SPACE = Duration.ofSeconds(10);

  /**
   * Every other change triggers this reconciler. The period covers changes that were lost by a
   * defect.
   */
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final VolumePolicy policy;
  private final WorkloadAttachments workloads;

  /**
   * Creates the reconciler.
   *
   * @param store may report the nodes on which workloads use a volume
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
        new Watched<>(DeletedVolume.KIND, deleted -> List.of(deleted.name())),
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
    // Read before the volume, because a restored volume has its state before this resource is
    // removed.
    Optional<DeletedVolume> former = context.store().get(DeletedVolume.KIND, name);
    Optional<Volume> stored = context.store().get(Volume.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    if (former.isPresent() && isHeld(stored.get(), former.get())) {
      return hold(stored.get(), former.get(), context);
    }
    return step(stored.get(), context);
  }

  private static boolean isHeld(Volume volume, DeletedVolume former) {
    boolean begins = volume.status().state() == VolumeState.CREATING;
    return former.isSourceOf(volume) || (begins && !former.isOf(volume));
  }

  /**
   * Suspends a volume while a deleted volume has the same name, because the parts of that name are
   * the content of the deleted one.
   */
  private static Result hold(Volume volume, DeletedVolume former, ReconcileContext context)
      throws StorageException {
    if (former.isSourceOf(volume)) {
      return Result.after(FIND_SPACE);
    }
    if (volume.isBeingDeleted()) {
      if (hasFinalizer(volume)) {
        withoutFinalizer(volume, context);
      }
      return Result.DONE;
    }
    Volume held = KeptVolume.held(volume, former, context.clock().instant());
    if (!held.status().equals(volume.status())) {
      context.store().updateStatus(held);
    }
    return Result.after(FIND_SPACE);
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
    if (plan.status().state() == VolumeState.DELETING
        && volume.status().state() != VolumeState.DELETING) {
      keep(view, context);
    }
    if (plan.disposal() && isRid(view, context)) {
      withoutFinalizer(volume, context);
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

  /**
   * Creates the attachment with derived tickets. Without its ticket a pod could not be detached at
   * its end.
   */
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

  /** Creates a resource. An existing one was created before a crash, or by another controller. */
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

  /**
   * Creates the resource that retains the content, if wanted. It exists before the state of the
   * volume permits nodes to remove data, and it records the decision: later changes of a setting do
   * not affect this deletion.
   */
  private static void keep(VolumeView view, ReconcileContext context) throws StorageException {
    Duration grace = view.settings().deletionGrace(view.volume().spec());
    if (!grace.isZero() && KeptVolume.isWorthKeeping(view.volume(), view.replicas())) {
      create(KeptVolume.of(view.volume(), grace, view.now()), context);
      requireKept(view.volume(), context);
    }
  }

  /**
   * Fails if another resource has the name of the keeper, because the content must not be removed
   * then.
   */
  private static void requireKept(Volume volume, ReconcileContext context) throws StorageException {
    boolean kept =
        context
            .store()
            .get(DeletedVolume.KIND, volume.name())
            .filter(found -> found.isOf(volume))
            .isPresent();
    if (!kept) {
      throw new StorageException(
          ErrorCode.BUSY,
          "volume "
              + volume.name()
              + " is deleted after the content of the deleted volume of its name is removed:"
              + " 'holdfast volume purge "
              + volume.name()
              + "' removes it");
    }
  }

  /**
   * Passes the parts to the retained deleted volume, or deletes them. Returns whether all were
   * handled.
   */
  private static boolean isRid(VolumeView view, ReconcileContext context) throws StorageException {
    // Read after the volume, because it was created before the volume got its state.
    Optional<DeletedVolume> keeper =
        context
            .store()
            .get(DeletedVolume.KIND, view.volume().name())
            .filter(found -> found.isOf(view.volume()));
    return keeper.isPresent() ? isMoved(view, keeper.get(), context) : dispose(view, context);
  }

  private static boolean isMoved(VolumeView view, DeletedVolume keeper, ReconcileContext context)
      throws StorageException {
    List<Engine> others = otherEngines(view.volume(), context);
    for (Engine engine : others) {
      if (!engine.isBeingDeleted()) {
        delete(Engine.KIND, engine, context);
      }
    }
    if (!others.isEmpty() || VolumeParts.of(view.volume().name(), context).give(keeper, context)) {
      return false;
    }
    if (view.attachment().filter(attachment -> !attachment.isBeingDeleted()).isPresent()) {
      delete(VolumeAttachment.KIND, view.attachment().get(), context);
    }
    return view.attachment().isEmpty();
  }

  private static void withoutFinalizer(Volume volume, ReconcileContext context)
      throws StorageException {
    context.store().update(volume.withMetadata(volume.metadata().minusFinalizer(Volume.FINALIZER)));
  }

  /** Deletes the parts; returns whether all are deleted. */
  private static boolean dispose(VolumeView view, ReconcileContext context)
      throws StorageException {
    // The plan ensures that the active engine is closed. Other engines are deleted before the data
    // of their replicas, so that their nodes close them first.
    List<Resource<?>> parts = new ArrayList<>(otherEngines(view.volume(), context));
    if (parts.isEmpty()) {
      parts.addAll(view.replicas());
      view.engine().ifPresent(parts::add);
    }
    if (parts.isEmpty() && view.attachment().isEmpty()) {
      return true;
    }
    // The tickets are removed last, so that clients that wait for their end still find them.
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

  /**
   * Returns a view from the store, including the nodes, because an outdated cache must not make a
   * node look deleted.
   */
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

  /**
   * Returns the disks on which a replica need not wait for the image; only used as an order of
   * preference.
   */
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

  /** Returns the number of rebuilds of other volumes by node. */
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
