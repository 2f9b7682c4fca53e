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
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Creates a ShareManager with each volume that is shared, and deletes it with the volume. A client
 * that wants another specification may create the resource first. Chooses the port of a share that
 * names none: one that no other share has.
 */
@Component(service = Reconciler.class)
public final class ShareLifecycleReconciler implements Reconciler<Volume> {
  /** Port of a share with an address of its own. */
  private static final int WELL_KNOWN = 2049;

  private static final int FIRST_PORT = 20_490;
  private static final int LAST_PORT = 24_585;
  private static final Duration PERIOD = Duration.ofMinutes(5);

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
      return Result.after(PERIOD);
    }
    if (!wanted && share.isEmpty()) {
      return Result.DONE;
    }
    apply(name, context);
    return Result.after(PERIOD);
  }

  private static void apply(String name, ReconcileContext context) throws StorageException {
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

  private static void create(String name, ReconcileContext context) throws StorageException {
    ShareManager share = ShareManager.of(ShareManagerSpec.EMPTY.withVolume(name));
    try {
      context.store().create(completed(share, context));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.ALREADY_EXISTS) {
        throw e;
      }
    }
  }

  private static ShareManager completed(ShareManager share, ReconcileContext context)
      throws StorageException {
    ShareManager kept = share.withMetadata(share.metadata().plusFinalizer(ShareManager.FINALIZER));
    return share.spec().port() != 0
        ? kept
        : kept.withSpec(share.spec().withPort(freePort(share, context)));
  }

  private static int freePort(ShareManager share, ReconcileContext context)
      throws StorageException {
    if (!share.spec().address().isEmpty()) {
      return WELL_KNOWN;
    }
    Set<Integer> taken = new HashSet<>();
    for (ShareManager other : context.store().list(ShareManager.KIND, LabelSelector.ALL).items()) {
      taken.add(other.spec().port());
    }
    for (int port = FIRST_PORT; port <= LAST_PORT; port++) {
      if (!taken.contains(port)) {
        return port;
      }
    }
    throw new StorageException(
        ErrorCode.NO_SPACE,
        "share "
            + share.name()
            + ": all ports from "
            + FIRST_PORT
            + " to "
            + LAST_PORT
            + " are taken: set spec.port");
  }
}
