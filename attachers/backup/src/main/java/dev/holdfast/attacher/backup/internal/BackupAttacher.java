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
import dev.holdfast.resource.snapshot.Snapshot;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import dev.holdfast.store.LabelSelector;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;

/**
 * Requests a volume from the time when the snapshot of a backup is to be taken until the backup
 * ends, so that a detached volume is attached once, and while the backup target is reachable. A
 * target that is away keeps no volume attached. A volume that is attached stays so until the
 * snapshot of the backup before is removed.
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
            new Watched<>(Volume.KIND, volume -> List.of()),
            new Watched<>(
                Snapshot.KIND,
                snapshot ->
                    Stream.ofNullable(snapshot.metadata().labels().get(Backup.REPLACED_BY_LABEL))
                        .toList()),
            Watched.wakingAll(BackupTarget.KIND)));
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
    Optional<Volume> volume = reader.get(Volume.KIND, backup.spec().volume());
    boolean wanted =
        volume.isPresent()
            && (isTransferred(backup, volume.get(), reader)
                || replacesSnapshot(backup, volume.get(), reader));
    return wanted ? List.of(TicketDemand.withAnyFrontend(volume.get().name())) : List.of();
  }

  private static boolean isTransferred(Backup backup, Volume volume, ResourceReader reader)
      throws StorageException {
    return isInProgress(backup)
        && !volume.isBeingDeleted()
        && !volume.awaitsContent()
        && reader
            .get(BackupTarget.KIND, backup.spec().backupTargetName())
            .filter(target -> target.status().available())
            .isPresent();
  }

  /** Whether the volume is still attached while the snapshot of the backup before is removed. */
  private static boolean replacesSnapshot(Backup backup, Volume volume, ResourceReader reader)
      throws StorageException {
    return volume.status().state() == VolumeState.ATTACHED
        && reader
            .list(Snapshot.KIND, LabelSelector.label(Backup.REPLACED_BY_LABEL, backup.name()))
            .stream()
            .anyMatch(s -> s.spec().volume().equals(volume.name()) && s.needsEngine(volume));
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
