package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.attachment.VolumeAttachment;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeStatus;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.store.StableServices;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/**
 * Places each share: claims epochs by compare-and-set, moves a share away from nodes that may not
 * serve or do not report, and copies state and endpoint to the volume. A decision from the cache is
 * made again from the stored resources.
 */
@Component(service = Reconciler.class)
public final class SharePlacementReconciler implements Reconciler<ShareManager> {
  private static final Duration SOON = Duration.ofSeconds(1);
  private static final Duration PERIOD = Duration.ofSeconds(30);

  private final ShareWorld world = new ShareWorld();
  private final StableEndpoints endpoints;

  /** Creates the reconciler. The store shows whether its orchestrator provides stable addresses. */
  @Activate
  public SharePlacementReconciler(@Reference ResourceStore store) {
    this(store instanceof StableServices services ? Optional.of(services) : Optional.empty());
  }

  SharePlacementReconciler(Optional<StableServices> services) {
    this.endpoints = new StableEndpoints(services);
  }

  @Override
  public String name() {
    return "share-placement";
  }

  @Override
  public ResourceKind<ShareManager> kind() {
    return ShareManager.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Volume.KIND, volume -> List.of(volume.name())),
        new Watched<>(VolumeAttachment.KIND, attachment -> List.of(attachment.name())),
        Watched.wakingAll(Node.KIND),
        new Watched<>(Replica.KIND, replica -> List.of()),
        new Watched<>(Lease.KIND, lease -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<ShareManager> cached = context.get(ShareManager.KIND, name);
    if (cached.isEmpty()) {
      world.forget(name);
      return Result.DONE;
    }
    ShareFacts facts = world.facts(cached.get(), new Cache(context), context);
    boolean settled =
        ShareStep.next(cached.get().status(), facts).equals(cached.get().status())
            && !isToBeReleased(cached.get())
            && isCopied(cached.get(), context);
    if (!settled) {
      decide(name, context);
    }
    return Result.after(isResting(cached.get()) ? PERIOD : SOON);
  }

  private void decide(String name, ReconcileContext context) throws StorageException {
    Optional<ShareManager> stored = context.store().get(ShareManager.KIND, name);
    if (stored.isEmpty()) {
      return;
    }
    ShareManager share = stored.get();
    ShareFacts facts = world.facts(share, context.store()::get, context);
    ShareManagerStatus next = ShareStep.next(share.status(), facts);
    if (!next.equals(share.status())) {
      share = context.store().updateStatus(share.withStatus(next));
      ShareEvents.tell(stored.get().status(), share, context.events());
    }
    copy(share, context);
    if (isToBeReleased(share)) {
      endpoints.remove(name);
      context
          .store()
          .update(share.withMetadata(share.metadata().minusFinalizer(ShareManager.FINALIZER)));
    }
  }

  private static boolean isToBeReleased(ShareManager share) {
    return share.isBeingDeleted()
        && share.metadata().hasFinalizer(ShareManager.FINALIZER)
        && ShareStep.isGone(share.status());
  }

  /**
   * Returns whether a share waits for neither a node nor a time, so that it is checked less often.
   */
  private static boolean isResting(ShareManager share) {
    String reason = ShareEvents.reason(share.status());
    return share.status().state() == InstanceState.STOPPED
        && !reason.equals(ShareReasons.NO_NODE)
        && !reason.equals(ShareReasons.MOVING);
  }

  private static boolean isCopied(ShareManager share, String endpoint, Optional<Volume> volume) {
    return volume
        .filter(v -> !copied(share.status(), endpoint, v.status()).equals(v.status()))
        .isEmpty();
  }

  private static VolumeStatus copied(
      ShareManagerStatus share, String endpoint, VolumeStatus volume) {
    return volume.withShareState(Optional.of(share.state())).withShareEndpoint(endpoint);
  }

  private boolean isCopied(ShareManager share, ReconcileContext context) {
    Optional<Volume> volume = context.get(Volume.KIND, share.name());
    return endpoints
        .known(share, context.clock().instant())
        .filter(endpoint -> isCopied(share, endpoint, volume))
        .isPresent();
  }

  private void copy(ShareManager share, ReconcileContext context) throws StorageException {
    Optional<Volume> volume = context.store().get(Volume.KIND, share.name());
    if (volume.isEmpty()) {
      return;
    }
    String endpoint = endpoints.of(share, context.clock().instant());
    if (!isCopied(share, endpoint, volume)) {
      VolumeStatus next = copied(share.status(), endpoint, volume.get().status());
      context.store().updateStatus(volume.get().withStatus(next));
    }
  }

  /** Reads the caches of the runtime. */
  private record Cache(ReconcileContext context) implements ShareWorld.Reader {
    @Override
    public <R extends Resource<R>> Optional<R> get(ResourceKind<R> kind, String name) {
      return context.get(kind, name);
    }
  }
}
