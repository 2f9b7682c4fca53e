package dev.holdfast.backup.internal;

import dev.holdfast.backupstore.layout.BackupLayout;
import dev.holdfast.backupstore.layout.EncryptedTargets;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupTargetStatus;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.Executor;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;

/** Reports for each target whether it can store, return and delete an object. */
@Component(service = Reconciler.class)
public final class BackupTargetReconciler implements Reconciler<BackupTarget> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PERIOD = Duration.ofMinutes(2);
  private static final Duration RETRY = Duration.ofSeconds(15);

  private final InstalledTargets targets;
  private final BackgroundWork<String> probes;

  /** Creates the reconciler of a running bundle. */
  @Activate
  public BackupTargetReconciler(
      @Reference InstalledTargets targets, @Reference AttachedVolumes volumes) {
    this(targets, volumes.executor());
  }

  BackupTargetReconciler(InstalledTargets targets, Executor threads) {
    this.targets = targets;
    this.probes = new BackgroundWork<>(threads);
  }

  @Override
  public String name() {
    return "backup-target";
  }

  @Override
  public ResourceKind<BackupTarget> kind() {
    return BackupTarget.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.CLUSTER;
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<BackupTarget> found = context.get(BackupTarget.KIND, name);
    if (found.isEmpty() || found.get().isBeingDeleted()) {
      return Result.DONE;
    }
    BackupTarget target = found.get();
    TargetAccess access = TargetAccess.of(target);
    boolean packed = BackupLayout.PACKED.name().equalsIgnoreCase(target.spec().layout());
    String work = name + " " + access + " " + packed;
    if (!probes.isBegun(work)) {
      probes.begin(work, () -> probe(access, packed));
      return Result.after(POLL);
    }
    String obstacle;
    try {
      Optional<String> outcome = probes.take(work);
      if (outcome.isEmpty()) {
        return Result.after(POLL);
      }
      obstacle = outcome.get();
    } catch (StorageException e) {
      obstacle = String.valueOf(e.getMessage());
    }
    record(target, obstacle, context);
    return Result.after(obstacle.isEmpty() ? PERIOD : RETRY);
  }

  /** Tests the target. Returns an empty text if it works. */
  private String probe(TargetAccess access, boolean packed) throws StorageException {
    byte[] content = UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8);
    // An encrypted probe tests the keys too, and wraps the data key by those that were added.
    String folder = access.encryption().isEmpty() ? "backupstore/" : "holdfast/v1/";
    String key = folder + "probe-" + UUID.randomUUID();
    try (ObjectStore store = targets.open(access)) {
      if (packed && access.encryption().isEmpty()) {
        requireUnencrypted(store, access);
      }
      store.put(key, List.of(ByteBuffer.wrap(content)), PutOptions.REPLACE);
      ByteBuffer read = ByteBuffer.allocate(content.length);
      store.get(key, 0, read);
      store.delete(List.of(key));
      if (!read.flip().equals(ByteBuffer.wrap(content))) {
        throw new StorageException(
            ErrorCode.IO, "target " + access.address() + ": returns other bytes than were written");
      }
    }
    return "";
  }

  /** Refuses a target whose secret was removed, so that later backups are not written in clear. */
  private static void requireUnencrypted(ObjectStore store, TargetAccess access)
      throws StorageException {
    if (EncryptedTargets.isEncrypted(store)) {
      throw new StorageException(
          ErrorCode.FORBIDDEN,
          "target "
              + access.address()
              + ": its packed backups are encrypted: name the secret with their key in"
              + " spec.encryptionSecret, or use another target");
    }
  }

  private static void record(BackupTarget target, String obstacle, ReconcileContext context)
      throws StorageException {
    Optional<BackupTarget> stored =
        context
            .store()
            .get(BackupTarget.KIND, target.name())
            .filter(present -> present.spec().equals(target.spec()));
    if (stored.isEmpty()) {
      return;
    }
    boolean available = obstacle.isEmpty();
    BackupTargetStatus status =
        stored
            .get()
            .status()
            .withAvailable(available)
            .withConditions(
                Condition.with(
                    stored.get().status().conditions(),
                    BackupTarget.AVAILABLE_CONDITION,
                    available ? Condition.Status.TRUE : Condition.Status.FALSE,
                    available ? "Answers" : "Unavailable",
                    obstacle,
                    context.clock().instant()));
    if (!status.equals(stored.get().status())) {
      context.store().updateStatus(stored.get().withStatus(status));
      if (!available) {
        context.events().warning(stored.get(), "BackupTargetUnavailable", obstacle);
      }
    }
  }
}
