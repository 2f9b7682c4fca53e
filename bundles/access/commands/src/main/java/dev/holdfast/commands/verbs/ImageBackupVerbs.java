package dev.holdfast.commands.verbs;

import dev.holdfast.client.backup.ImageBackups;
import dev.holdfast.commands.ImageBackupViews;
import dev.holdfast.commands.Output;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.backup.BackupTarget;
import java.util.List;
import java.util.Optional;

/** The verbs {@code image backup …} for backups of backing images. */
final class ImageBackupVerbs {
  private static final VerbArgument<String> NAME =
      VerbArgument.of("NAME", String.class, Candidates.IMAGES, "The image's name.");
  private static final VerbArgument<String> AT_TARGET =
      VerbArgument.of(
          "NAME", String.class, Candidates.NONE, "The image's name, as 'image backups' shows it.");
  static final VerbOption<String> TARGET =
      VerbOption.of("--target", "TARGET", String.class, "The target. Default: default.");
  private static final VerbOption<String> ONLY_TARGET =
      VerbOption.of("--target", "TARGET", String.class, "Only those at this target.");
  private static final VerbOption<Integer> TIMEOUT =
      VerbOption.seconds("--timeout", 3600, "Longest time to wait.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "image backup",
              List.of(NAME),
              List.of(TARGET, Common.NO_WAIT, TIMEOUT),
              "Back up a backing image, on which volumes can then be restored in any cluster.",
              ImageBackupVerbs::create),
          new Verb(
              "image backups",
              List.of(),
              List.of(ONLY_TARGET),
              "Show the backups of backing images, also those of other clusters.",
              ImageBackupVerbs::list),
          new Verb(
              "image delete-backup",
              List.of(AT_TARGET),
              List.of(TARGET, Common.NO_WAIT, TIMEOUT),
              "Delete the backup of a backing image at its target.",
              ImageBackupVerbs::delete));

  private ImageBackupVerbs() {}

  static String target(VerbCall call) {
    return call.value(TARGET).orElse(BackupTarget.DEFAULT_NAME);
  }

  private static Output create(VerbCall call) throws StorageException {
    return views()
        .created(
            backups(call)
                .create(
                    call.get(NAME),
                    target(call),
                    call.waiting(!call.has(Common.NO_WAIT), TIMEOUT)));
  }

  private static Output list(VerbCall call) throws StorageException {
    Optional<String> target = call.value(ONLY_TARGET);
    BackupVolumeVerbs.warnOfOldLists(call, target);
    return views().backups(backups(call).list(target));
  }

  private static Output delete(VerbCall call) throws StorageException {
    String name = call.get(AT_TARGET);
    backups(call).delete(name, target(call), call.waiting(!call.has(Common.NO_WAIT), TIMEOUT));
    return views().deleted(name);
  }

  private static ImageBackups backups(VerbCall call) throws StorageException {
    return new ImageBackups(call.context().store());
  }

  private static ImageBackupViews views() {
    return new ImageBackupViews();
  }
}
