package dev.holdfast.commands.verbs;

import dev.holdfast.client.backup.SystemBackups;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.SystemBackupViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import dev.holdfast.resource.backup.RestoredVolumes;
import dev.holdfast.resource.backup.SystemBackupSpec;
import dev.holdfast.resource.backup.SystemRestoreSpec;
import dev.holdfast.resource.backup.VolumeBackupPolicy;
import dev.holdfast.resource.restore.RestoreMode;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The verbs {@code system-backup …} for backups of the cluster's resources at a target. */
final class SystemBackupVerbs {
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.NONE, "The system backup's name.");
  private static final VerbOption<String> TARGET =
      VerbOption.of("--target", "TARGET", String.class, "The target. Default: default.");
  private static final VerbOption<VolumeBackupPolicy> VOLUME_BACKUPS =
      VerbOption.of(
          "--volume-backups",
          "WHICH",
          VolumeBackupPolicy.class,
          "Volumes that are backed up first: if-not-present for those without a backup, always or"
              + " disabled. Default: if-not-present.");
  private static final VerbOption<String> SELECTOR =
      VerbOption.of(
              "--selector",
              "KEY=VALUE",
              String.class,
              "Only volumes with this label; may be given several times. Default: all volumes.")
          .times(VerbOption.Repetition.REPEATED);
  private static final VerbOption<String> AS =
      VerbOption.of("--name", "NAME", String.class, "Name of the restore. Default: restore-ID.");
  private static final VerbOption<Boolean> NO_VOLUMES =
      VerbOption.flag("--no-volumes", "Leave out the volumes.");
  private static final VerbOption<Boolean> LAZY =
      VerbOption.flag("--lazy", "Let clients use the volumes while they are restored.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "system-backup create",
              List.of(NAME),
              List.of(TARGET, VOLUME_BACKUPS, SELECTOR, Common.NO_WAIT, TIMEOUT),
              """
              Save the resources of the cluster and the names of the backups of its volumes and images.
              Secrets, access tokens, nodes and snapshots are not in it.""",
              SystemBackupVerbs::create),
          new Verb(
              "system-backup list",
              List.of(),
              List.of(),
              "Show all system backups, also those of other clusters that scans found.",
              call -> views(call).backups(backups(call).list())),
          new Verb(
              "system-backup get",
              List.of(NAME),
              List.of(),
              "Show one system backup; with -o json the resource itself.",
              call -> views(call).backup(backups(call).get(call.get(NAME)))),
          new Verb(
              "system-backup restore",
              List.of(NAME),
              List.of(TARGET, AS, NO_VOLUMES, SELECTOR, LAZY, Common.NO_WAIT, TIMEOUT),
              """
              Create the resources of a system backup, also of another cluster, in this one.
              What is there stays as it is, except settings. Roles and their bindings are restored
              too, so restore from a target that you trust.""",
              SystemBackupVerbs::restore),
          new Verb(
              "system-backup delete",
              List.of(NAME),
              List.of(Common.NO_WAIT, TIMEOUT),
              "Delete a system backup at its target; backups of volumes stay.",
              SystemBackupVerbs::delete));

  private SystemBackupVerbs() {}

  private static Output create(VerbCall call) throws StorageException {
    SystemBackupSpec spec =
        SystemBackupSpec.EMPTY
            .withBackupTargetName(call.value(TARGET).orElse(BackupTarget.DEFAULT_NAME))
            .withVolumeSelector(selector(call))
            .withVolumeBackupPolicy(
                call.value(VOLUME_BACKUPS).orElse(VolumeBackupPolicy.IF_NOT_PRESENT));
    return views(call)
        .created(
            backups(call)
                .create(call.get(NAME), spec, call.waiting(!call.has(Common.NO_WAIT), TIMEOUT)));
  }

  private static Map<String, String> selector(VerbCall call) throws WrongUse {
    return Common.keyValues(SELECTOR, call);
  }

  private static Output restore(VerbCall call) throws StorageException {
    SystemRestoreSpec spec =
        SystemRestoreSpec.EMPTY
            .withSystemBackup(call.get(NAME))
            .withBackupTargetName(call.value(TARGET).orElse(BackupTarget.DEFAULT_NAME))
            .withVolumes(call.has(NO_VOLUMES) ? RestoredVolumes.NONE : RestoredVolumes.RESTORE)
            .withVolumeSelector(selector(call))
            .withRestoreMode(call.has(LAZY) ? RestoreMode.LAZY : RestoreMode.WHOLE);
    String name =
        call.value(AS).orElseGet(() -> "restore-" + UUID.randomUUID().toString().substring(0, 8));
    return views(call)
        .restore(
            backups(call).restore(name, spec, call.waiting(!call.has(Common.NO_WAIT), TIMEOUT)));
  }

  private static Output delete(VerbCall call) throws StorageException {
    backups(call).delete(call.get(NAME), call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views(call).deleted(call.get(NAME));
  }

  private static SystemBackups backups(VerbCall call) throws StorageException {
    return new SystemBackups(call.context().store());
  }

  private static SystemBackupViews views(VerbCall call) {
    return new SystemBackupViews(call.context().clock());
  }
}
