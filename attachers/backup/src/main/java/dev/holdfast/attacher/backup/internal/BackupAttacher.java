package dev.holdfast.attacher.backup.internal;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.ResourceReader;
import dev.holdfast.attacher.SubjectAttacher;
import dev.holdfast.attacher.TicketDemand;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.volume.Volume;
import java.util.List;
import java.util.Optional;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a volume from the time when the snapshot of a backup is to be taken until the backup
 * ends, so that a detached volume is attached once, and while the backup target is reachable. A
 * target that is away keeps no volume attached.
 */
@Component(service = {AttacherProvider.class, Reconciler.class})
public final class BackupAttacher extends SubjectAttacher<Backup> {
  private static final int PRIORITY = 800;

  /** Creates the attacher. */
  @Activate
  public BackupAttacher() {
    super(
        Backup.KIND,
        List.of(
            new Watched<>(Volume.KIND, volume -> List.of()), Watched.wakingAll(BackupTarget.KIND)));
  }

  @Override
  public String name() {
    return "backup-controller";
  }

  @Override
  public int priority() {
    return PRIORITY;
  }

  @Override
  public Role role() {
    return Role.INTERRUPTIBLE;
  }

  @Override
  protected List<TicketDemand> demands(Backup backup, ResourceReader reader)
      throws StorageException {
    Optional<Volume> volume =
        isInProgress(backup)
            ? reader
                .get(Volume.KIND, backup.spec().volume())
                .filter(v -> !v.isBeingDeleted() && !v.awaitsContent())
            : Optional.empty();
    boolean available =
        volume.isPresent()
            && reader
                .get(BackupTarget.KIND, backup.spec().backupTargetName())
                .filter(target -> target.status().available())
                .isPresent();
    return available ? List.of(TicketDemand.withAnyFrontend(volume.get().name())) : List.of();
  }

  private static boolean isInProgress(Backup backup) {
    boolean unfinished =
        switch (backup.status().state()) {
          case NONE, IN_PROGRESS -> true;
          case COMPLETED, ERROR -> false;
        };
    return unfinished && !backup.isBeingDeleted() && !backup.isDiscovered();
  }
}
