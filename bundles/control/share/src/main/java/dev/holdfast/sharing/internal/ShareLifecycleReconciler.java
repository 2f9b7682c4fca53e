package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Creates a ShareManager for each shared volume, and deletes it with the volume. A client may
 * create the resource first, with another specification. Chooses an unused port for a share that
 * names none.
 */
@Component(service = Reconciler.class)
public final class ShareLifecycleReconciler implements Reconciler<Volume> {
  private static final Duration PERIOD = Duration.ofMinutes(5);

  private final SharePorts ports = new SharePorts();

  /** Creates the reconciler. */
  @Activate
  public ShareLifecycleReconciler() {}

  @Override
  public String name() {
    return "share-lifecycle";
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
    return List.of(new Watched<>(ShareManager.KIND, share -> List.of(share.name())));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Volume> cached = context.get(Volume.KIND, name);
    Optional<ShareManager> share = context.get(ShareManager.KIND, name);
    boolean wanted = isWanted(cached);
    if (wanted && share.filter(ShareLifecycleReconciler::isComplete).isPresent()) {
      ports.release(name);
      return Result.after(PERIOD);
    }
    if (!wanted && share.isEmpty()) {
      ports.release(name);
      return Result.DONE;
    }
    apply(name, context);
    return Result.after(PERIOD);
  }

  private void apply(String name, ReconcileContext context) throws StorageException {
    boolean wanted = isWanted(context.store().get(Volume.KIND, name));
    Optional<ShareManager> share = context.store().get(ShareManager.KIND, name);
    if (!wanted && share.isPresent() && !share.get().isBeingDeleted()) {
      context.store().delete(ShareManager.KIND, name, share.get().metadata().uid());
    } else if (wanted && share.isEmpty()) {
      create(name, context);
    } else if (wanted && !share.get().isBeingDeleted() && !isComplete(share.get())) {
      context.store().update(completed(share.get(), context));
    }
  }

  private static boolean isWanted(Optional<Volume> volume) {
    return volume.filter(v -> !v.isBeingDeleted() && ShareManager.isShared(v)).isPresent();
  }

  private static boolean isComplete(ShareManager share) {
    return share.spec().port() != 0 && share.metadata().hasFinalizer(ShareManager.FINALIZER);
  }

  private void create(String name, ReconcileContext context) throws StorageException {
    ShareManager share = ShareManager.of(ShareManagerSpec.EMPTY.withVolume(name));
    try {
      context.store().create(completed(share, context));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private ShareManager completed(ShareManager share, ReconcileContext context)
      throws StorageException {
    ShareManager kept = share.withMetadata(share.metadata().plusFinalizer(ShareManager.FINALIZER));
    if (share.spec().port() != 0) {
      return kept;
    }
    int port =
        ports.choose(
            share, () -> context.store().list(ShareManager.KIND, LabelSelector.ALL).items());
    return kept.withSpec(share.spec().withPort(port));
  }
}
