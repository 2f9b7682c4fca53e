package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.CloneSource;
import dev.holdfast.resource.volume.CloneState;
import dev.holdfast.resource.volume.CloneStatus;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.ReplicaLink;
import dev.holdfast.resource.volume.Robustness;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Takes clones to their first content: requests a snapshot of the source, chooses the node that
 * copies, retries failed steps, and deletes the snapshot afterwards. {@link CloneCopyReconciler}
 * copies the content. A clone that shares the content of its snapshot needs no copy ({@link
 * LinkedCloneSync}).
 *
 * <pre>
 *   (none) --> initiated --> copy-completed-awaiting-healthy --> completed
 *               |     ^  \                                         ^
 *               v     |   +----------------------------------------+
 *              failed-+
 * </pre>
 *
 * <p>An initiated copy can be used on the node that copies it as soon as its snapshot exists. From
 * then on it neither fails nor starts again. All writes are based on the stored resources, and a
 * conflict ends the pass. Therefore a copy that is complete or in use never starts again.
 */
@Component(service = Reconciler.class)
public final class CloneReconciler implements Reconciler<Volume> {
  private static final Duration SOON = Duration.ofSeconds(1);

  /** Creates the reconciler. */
  @Activate
  public CloneReconciler() {}

  @Override
  public String name() {
    return "clone";
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
        new Watched<>(
            Snapshot.KIND,
            snapshot ->
                Stream.concat(
                        Stream.ofNullable(
                            snapshot.metadata().labels().get(CloneSnapshots.COPY_LABEL)),
                        CloneSourceFinalizer.names(snapshot).stream())
                    .toList()),
        new Watched<>(Volume.KIND, CloneSourceFinalizer::names),
        new Watched<>(
            Replica.KIND,
            replica ->
                replica.status().link().equals(ReplicaLink.NONE)
                    ? List.of()
                    : List.of(replica.spec().volume())));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> cached = context.get(Volume.KIND, name);
    CloneSnapshots snapshots = new CloneSnapshots(context);
    new CloneSourceFinalizer(context).release(name);
    if (cached.filter(volume -> volume.spec().cloneSource().isEmpty()).isPresent()
        || (cached.isEmpty() && context.store().get(Volume.KIND, name).isPresent())) {
      return Result.DONE;
    }
    Optional<Volume> stored =
        cached.isPresent() ? context.store().get(Volume.KIND, name) : Optional.empty();
    snapshots.release(name, stored);
    if (stored.isEmpty() || stored.get().isBeingDeleted()) {
      return Result.DONE;
    }
    return advance(stored.get(), snapshots, context);
  }

  private static Result advance(Volume copy, CloneSnapshots snapshots, ReconcileContext context)
      throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    return switch (status.state()) {
      case NONE -> write(copy, begun(status), context);
      case INITIATED ->
          copy.isUsableWhileCopied() ? follow(copy, context) : begin(copy, snapshots, context);
      case FAILED -> {
        Optional<Duration> left = CloneStatuses.left(status, context.clock().instant());
        yield left.isPresent() ? Result.after(left.get()) : write(copy, begun(status), context);
      }
      case COPY_COMPLETED_AWAITING_HEALTHY ->
          copy.status().robustness() == Robustness.HEALTHY
              ? write(copy, status.withState(CloneState.COMPLETED), context)
              : Result.DONE;
      case COMPLETED -> Result.DONE;
    };
  }

  private static CloneStatus begun(CloneStatus status) {
    return CloneStatus.EMPTY
        .withState(CloneState.INITIATED)
        .withAttempts(status.attempts() + 1)
        .withMessage(status.message());
  }

  /**
   * Makes the next step of the decided method. Linking continues even if the source is deleted,
   * because some replicas may already be linked.
   */
  private static Result begin(Volume copy, CloneSnapshots snapshots, ReconcileContext context)
      throws StorageException {
    LinkedCloneSync linking = new LinkedCloneSync(context);
    return switch (copy.status().cloneStatus().method()) {
      case UNDECIDED, COPY -> prepare(copy, snapshots, context);
      case LINK -> {
        if (!linking.hasImage(copy)) {
          yield Result.after(SOON);
        }
        CloneStatus next = linking.linked(copy);
        Result again = write(copy, next, context);
        linking.tell(copy, next);
        yield again;
      }
      case UNLINK -> {
        CloneStatus next = linking.unlinked(copy);
        yield next.equals(copy.status().cloneStatus())
            ? Result.after(SOON)
            : write(copy, next, context);
      }
    };
  }

  private static Result prepare(Volume copy, CloneSnapshots snapshots, ReconcileContext context)
      throws StorageException {
    CloneSource wanted = copy.spec().cloneSource().orElseThrow();
    Optional<Volume> source = context.store().get(Volume.KIND, wanted.volume());
    CloneStatus status = copy.status().cloneStatus();
    CloneStatus next;
    try {
      requireUsable(copy, wanted, source);
      if (source.get().awaitsContent()) {
        next = status.withNodeID("");
      } else {
        Snapshot snapshot = snapshots.require(wanted, source.get(), copy);
        requireFits(copy, snapshot, snapshots);
        next = decided(status, snapshot, source.get(), copy, context);
      }
    } catch (CloneStatuses.Impossible e) {
      next = CloneStatuses.failed(status, e.getMessage(), context.clock().instant());
      context.events().warning(copy, "CloneFailed", e.getMessage());
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      next = CloneStatuses.failed(status, e.getMessage(), context.clock().instant());
      context.events().warning(copy, "CloneFailed", String.valueOf(e.getMessage()));
    }
    return write(copy, next, context);
  }

  /**
   * Decides only after the finalizers keep source and snapshot, because the decision depends on
   * them.
   */
  private static CloneStatus decided(
      CloneStatus status, Snapshot snapshot, Volume source, Volume copy, ReconcileContext context)
      throws StorageException {
    CloneSourceFinalizer needed = new CloneSourceFinalizer(context);
    needed.keep(source, copy);
    CloneStatus known = status.withSnapshot(snapshot.name()).withNodeID(nodeOf(source));
    if (!snapshot.status().readyToUse()) {
      return known;
    }
    needed.keep(snapshot, copy);
    return new LinkedCloneSync(context).decided(known, copy, snapshot);
  }

  /**
   * Continues a copy in use. It is neither aborted nor started again, even if its source was
   * deleted.
   */
  private static Result follow(Volume copy, ReconcileContext context) throws StorageException {
    CloneStatus status = copy.status().cloneStatus();
    String node =
        context
            .store()
            .get(Volume.KIND, copy.spec().cloneSource().orElseThrow().volume())
            .map(CloneReconciler::nodeOf)
            .orElse("");
    return write(copy, node.isEmpty() ? status : status.withNodeID(node), context);
  }

  private static void requireUsable(Volume copy, CloneSource wanted, Optional<Volume> source)
      throws CloneStatuses.Impossible {
    if (source.isEmpty() || source.get().isBeingDeleted()) {
      throw new CloneStatuses.Impossible("volume " + wanted.volume() + " does not exist");
    }
    if (source.get().status().robustness() == Robustness.FAULTED) {
      throw new CloneStatuses.Impossible("volume " + wanted.volume() + " is faulted");
    }
    if (copy.status().robustness() == Robustness.FAULTED) {
      throw new CloneStatuses.Impossible("volume " + copy.name() + " is faulted");
    }
  }

  private static void requireFits(Volume copy, Snapshot snapshot, CloneSnapshots snapshots)
      throws StorageException, CloneStatuses.Impossible {
    String label = "snapshot " + snapshot.nameInVolume() + " of volume " + snapshot.spec().volume();
    if (!snapshot.status().error().isEmpty()) {
      snapshots.discard(snapshot);
      throw new CloneStatuses.Impossible(label + ": " + snapshot.status().error());
    }
    if (snapshot.status().restoreSize().compareTo(copy.spec().size()) > 0) {
      throw new CloneStatuses.Impossible(
          label
              + " has "
              + snapshot.status().restoreSize()
              + ", volume "
              + copy.name()
              + " only "
              + copy.spec().size()
              + ": raise its spec.size");
    }
  }

  private static String nodeOf(Volume source) {
    return source.status().state() == VolumeState.ATTACHED ? source.status().currentNodeID() : "";
  }

  private static Result write(Volume copy, CloneStatus next, ReconcileContext context)
      throws StorageException {
    if (!next.equals(copy.status().cloneStatus())) {
      context.store().updateStatus(copy.withStatus(copy.status().withCloneStatus(next)));
    }
    return Result.after(SOON);
  }
}
