package dev.holdfast.commands.verbs;

import dev.holdfast.client.backup.BackupScans;
import dev.holdfast.client.backup.VolumeBackups;
import dev.holdfast.commands.Output;
import dev.holdfast.commands.VolumeBackupViews;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import java.util.List;
import java.util.Optional;

/** The verbs {@code backup …} for the results of scans of this cluster's targets. */
final class BackupVolumeVerbs {
  private static final VerbArgument<String> TARGET_NAME =
      VerbArgument.of("TARGET", String.class, Candidates.NONE, "The target. Default: default.")
          .times(0, 1);
  private static final VerbArgument<String> VOLUME =
      VerbArgument.of("VOLUME", String.class, Candidates.NONE, "Name of the volume there.");
  private static final VerbOption<String> ONLY_TARGET =
      VerbOption.of("--target", "TARGET", String.class, "Only those at this target.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "backup sync",
              List.of(TARGET_NAME),
              List.of(Common.NO_WAIT, Common.TIMEOUT),
              """
              Look for the backups at a target that this cluster does not know.
              A target with a poll interval is also scanned by itself.""",
              BackupVolumeVerbs::sync),
          new Verb(
              "backup volumes",
              List.of(),
              List.of(ONLY_TARGET),
              "Show the volumes that have backups at targets, also those of other clusters.",
              BackupVolumeVerbs::volumes),
          new Verb(
              "backup delete-volume",
              List.of(VOLUME),
              List.of(VolumeBackupVerbs.TARGET, Common.NO_WAIT, TIMEOUT),
              "Delete all backups of a volume at a target, also those of other clusters.",
              BackupVolumeVerbs::delete));

  private BackupVolumeVerbs() {}

  private static Output sync(VerbCall call) throws StorageException {
    String name = call.value(TARGET_NAME).orElse(BackupTarget.DEFAULT_NAME);
    boolean waits = !call.has(Common.NO_WAIT);
    BackupTarget target = scans(call).scan(name, call.waiting());
    return views(call)
        .scanned(target, scans(call).volumes(Optional.of(name)).items().size(), waits);
  }

  private static Output volumes(VerbCall call) throws StorageException {
    Optional<String> target = call.value(ONLY_TARGET);
    warnOfOldLists(call, target);
    return views(call)
        .volumes(
            scans(call).volumes(target),
            new VolumeBackups(call.context().store()).list(Optional.empty(), target));
  }

  private static Output delete(VerbCall call) throws StorageException {
    String volume = call.get(VOLUME);
    scans(call)
        .deleteVolume(
            call.value(VolumeBackupVerbs.TARGET).orElse(BackupTarget.DEFAULT_NAME),
            volume,
            call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views(call).deleted("volume", volume);
  }

  /** Warns about targets whose last scan failed, because their lists may be outdated. */
  static void warnOfOldLists(VerbCall call, Optional<String> only) throws StorageException {
    for (BackupTarget target : new VolumeBackups(call.context().store()).targets().items()) {
      boolean shown = only.isEmpty() || only.get().equals(target.name());
      if (shown && !target.syncObstacle().isEmpty()) {
        call.context()
            .warn(
                "backup target "
                    + target.name()
                    + ": the list is "
                    + target.status().lastSyncedAt().map(at -> "of " + at).orElse("not complete")
                    + ", because the last scan failed: "
                    + target.syncObstacle());
      }
    }
  }

  private static BackupScans scans(VerbCall call) throws StorageException {
    return new BackupScans(call.context().store());
  }

  private static VolumeBackupViews views(VerbCall call) {
    return new VolumeBackupViews(call.context().clock());
  }
}
