package dev.holdfast.attachment.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.Engine;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Attaches and detaches volumes by their tickets; the only writer of a volume's nodeID,
 * migrationNodeID, servingNodeIDs, disableFrontend and lastAttachedBy. A decision from the cache is
 * repeated on an uncached read before each write: first the volume, then the status. After a crash
 * between the writes, the next pass completes them. When an attacher type is added or removed, this
 * reconciler is replaced by a new one, which reconciles every attachment.
 */
@Component(service = Reconciler.class)
public final class AttachmentReconciler implements Reconciler<VolumeAttachment> {
  /**
   * Every change triggers this reconciler. The period covers changes that were lost by a defect.
   */
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final Map<String, AttacherProvider> types;
  private final AttachmentPolicy policy;

  /**
   * Creates the reconciler.
   *
   * @param installed selects the admitted types
   * @param types installed types by ascending ranking
   */
  @Activate
  public AttachmentReconciler(
      @Reference InstalledAttachers installed,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<AttacherProvider> types) {
    this(installed.byName(types), new AttachmentRules());
  }

  /**
   * Creates the reconciler of a test outside of the container.
   *
   * @param types by ascending ranking; the later of two types with one name is used
   */
  public AttachmentReconciler(List<AttacherProvider> types) {
    this(types, new AttachmentRules());
  }

  AttachmentReconciler(List<AttacherProvider> types, AttachmentPolicy policy) {
    this(byName(types), policy);
  }

  private AttachmentReconciler(Map<String, AttacherProvider> types, AttachmentPolicy policy) {
    this.types = types;
    this.policy = policy;
  }

  private static Map<String, AttacherProvider> byName(List<AttacherProvider> types) {
    Map<String, AttacherProvider> byName = new TreeMap<>();
    types.forEach(type -> byName.put(type.name(), type));
    return byName;
  }

  @Override
  public String name() {
    return "attachment";
  }

  @Override
  public ResourceKind<VolumeAttachment> kind() {
    return VolumeAttachment.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Volume.KIND, volume -> List.of(volume.name())),
        new Watched<>(Engine.KIND, engine -> List.of(engine.spec().volume())),
        new Watched<>(Replica.KIND, replica -> List.of(replica.spec().volume())),
        Watched.wakingAll(Node.KIND));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<VolumeAttachment> cached = context.get(VolumeAttachment.KIND, name);
    if (cached.isEmpty()) {
      return Result.DONE;
    }
    AttachmentView seen =
        view(
            cached.get(),
            context.get(Volume.KIND, name),
            context.list(Engine.KIND, partsOf(name)),
            context);
    if (isSettled(seen, policy.next(seen))) {
      return Result.after(PERIOD);
    }
    Optional<VolumeAttachment> stored = context.store().get(VolumeAttachment.KIND, name);
    if (stored.isEmpty()) {
      return Result.DONE;
    }
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    if (mayGo(stored.get(), volume)) {
      context.store().update(withFinalizer(stored.get(), false));
      return Result.DONE;
    }
    VolumeAttachment kept = stored.get();
    if (!isKept(kept)) {
      kept = context.store().update(withFinalizer(kept, true));
    }
    if (kept.spec().hasUnnumberedTickets()) {
      // Each write numbers the tickets. Without a number, an old status would match a new ticket.
      kept = context.store().update(kept);
    }
    return decide(kept, context);
  }

  /**
   * Decides and writes. Reads the tickets first, so that "satisfied" refers to observations after
   * the tickets were written.
   */
  private Result decide(VolumeAttachment attachment, ReconcileContext context)
      throws StorageException {
    String name = attachment.name();
    List<Engine> engines = context.store().list(Engine.KIND, partsOf(name)).items();
    Optional<Volume> volume = context.store().get(Volume.KIND, name);
    AttachmentView view = view(attachment, volume, engines, context);
    Decision decision = policy.next(view);
    if (volume.isPresent()) {
      VolumeSpec wanted = decision.volumeSpec().orElse(volume.get().spec());
      if (!wanted.equals(volume.get().spec())) {
        context.store().update(volume.get().withSpec(wanted));
        tell(volume.get(), wanted, context);
      }
    }
    if (!decision.status().equals(attachment.status())) {
      context.store().updateStatus(attachment.withStatus(decision.status()));
    }
    return Result.after(PERIOD);
  }

  /**
   * Returns whether the attachment may be deleted. Tickets that a client deletes with their
   * attachment hold their volume until it is removed.
   */
  private static boolean mayGo(VolumeAttachment attachment, Optional<Volume> volume) {
    return attachment.isBeingDeleted()
        && attachment.metadata().hasFinalizer(VolumeAttachment.FINALIZER)
        && volume.filter(v -> v.status().state() != VolumeState.DELETING).isEmpty();
  }

  private static boolean isKept(VolumeAttachment attachment) {
    return attachment.isBeingDeleted()
        || attachment.metadata().hasFinalizer(VolumeAttachment.FINALIZER);
  }

  private static VolumeAttachment withFinalizer(VolumeAttachment attachment, boolean present) {
    ObjectMeta metadata = attachment.metadata();
    return attachment.withMetadata(
        present
            ? metadata.plusFinalizer(VolumeAttachment.FINALIZER)
            : metadata.minusFinalizer(VolumeAttachment.FINALIZER));
  }

  private static void tell(Volume volume, VolumeSpec wanted, ReconcileContext context) {
    VolumeSpec before = volume.spec();
    if (wanted.nodeID().isEmpty()) {
      tell(volume, "Detach", "leaves node " + before.nodeID(), context);
    } else if (before.nodeID().isEmpty()) {
      String ticket = wanted.lastAttachedBy();
      tell(
          volume,
          "Attach",
          "is being attached to node " + wanted.nodeID() + " for ticket " + ticket,
          context);
    } else if (isSamePair(before, wanted)) {
      tell(volume, "Serve", "is served on nodes " + wanted.servingNodeIDs() + " too", context);
    } else if (!wanted.migrationNodeID().isEmpty()) {
      tell(
          volume,
          "Migrate",
          "is being prepared to move to node " + wanted.migrationNodeID(),
          context);
    } else if (wanted.nodeID().equals(before.migrationNodeID())) {
      tell(volume, "Migrate", "moves to node " + wanted.nodeID(), context);
    } else {
      tell(volume, "Migrate", "stays at node " + wanted.nodeID(), context);
    }
  }

  private static boolean isSamePair(VolumeSpec before, VolumeSpec wanted) {
    return before.nodeID().equals(wanted.nodeID())
        && before.migrationNodeID().equals(wanted.migrationNodeID());
  }

  private static void tell(Volume volume, String reason, String message, ReconcileContext context) {
    context.events().normal(volume, reason, message);
  }

  private AttachmentView view(
      VolumeAttachment attachment,
      Optional<Volume> volume,
      List<Engine> engines,
      ReconcileContext context) {
    return new AttachmentView(
        attachment,
        volume,
        engines.stream()
            .filter(engine -> volume.map(found -> found.follows(engine)).orElse(true))
            .toList(),
        context.list(Node.KIND, LabelSelector.ALL),
        context.list(Replica.KIND, partsOf(attachment.name())),
        types,
        context.clock().instant());
  }

  private static boolean isSettled(AttachmentView view, Decision decision) {
    return decision.volumeSpec().equals(view.volume().map(Volume::spec))
        && decision.status().equals(view.attachment().status())
        && isKept(view.attachment())
        && !view.attachment().spec().hasUnnumberedTickets()
        && !mayGo(view.attachment(), view.volume());
  }

  private static LabelSelector partsOf(String volume) {
    return LabelSelector.label(Volume.LABEL, volume);
  }
}
