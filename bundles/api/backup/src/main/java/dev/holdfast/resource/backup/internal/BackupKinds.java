package dev.holdfast.resource.backup.internal;

import dev.holdfast.resource.KindProvider;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.backup.Backup;
import dev.holdfast.resource.backup.BackupBackingImage;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.BackupVolume;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.backup.SystemBackup;
import dev.holdfast.resource.backup.SystemRestore;
import java.util.List;
import org.osgi.service.component.annotations.Component;

/** The kinds of backups. */
@Component
public final class BackupKinds implements KindProvider {
  @Override
  public List<ResourceKind<?>> kinds() {
    return List.of(
        BackupTarget.KIND,
        BackupVolume.KIND,
        Backup.KIND,
        BackupBackingImage.KIND,
        RecurringJob.KIND,
        SystemBackup.KIND,
        SystemRestore.KIND);
  }
}
