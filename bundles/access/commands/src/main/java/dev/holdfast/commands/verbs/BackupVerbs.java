package dev.holdfast.commands.verbs;

import dev.holdfast.backupstore.BackupVerification;
import dev.holdfast.backupstore.DamagedBlock;
import dev.holdfast.backupstore.DamagedBlockException;
import dev.holdfast.backupstore.FileRestore;
import dev.holdfast.backupstore.StoredBackup;
import dev.holdfast.backupstore.VerifiedBackup;
import dev.holdfast.backupstore.layout.LaidOutBackups;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.commands.BackupEntry;
import dev.holdfast.commands.BackupViews;
import dev.holdfast.commands.BackupViews.Verification;
import dev.holdfast.commands.Output;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.Optional;

/** The verbs {@code backup …} that read a target directly. They need no node. */
final class BackupVerbs {
  private static final int THREADS = Math.min(4, Runtime.getRuntime().availableProcessors());

  private static final VerbArgument<String> URL =
      VerbArgument.of(
          "URL",
          String.class,
          Candidates.NONE,
          """
          Address of the target, for example file:///backups: the folder that holds backupstore.
          '?volume=NAME' and '?backup=NAME&volume=NAME' behind it mean one volume, one backup.""");
  private static final VerbArgument<String> WHERE =
      VerbArgument.of(
              "URL|VOLUME",
              String.class,
              Candidates.VOLUMES,
              "Address of a target, or a volume of this cluster. Default: all volumes.")
          .times(0, 1);
  private static final VerbArgument<String> VOLUME =
      VerbArgument.of("VOLUME", String.class, Candidates.NONE, "With URL: show only this volume.")
          .times(0, 1);
  private static final VerbOption<Integer> SAMPLE =
      VerbOption.of(
          "--sample",
          "PERCENT",
          Integer.class,
          "Read only this part of the blocks, others each time. Default: all.");
  private static final VerbOption<Path> TO =
      VerbOption.of(
              "--to",
              "FILE",
              Path.class,
              Candidates.FILES,
              "The file; must not exist. It is raw, and sparse.")
          .given(VerbOption.Presence.REQUIRED);
  private static final VerbOption<Boolean> ZERO_DAMAGED =
      VerbOption.flag("--zero-damaged", "Write zeroes in place of damaged blocks, and list them.");

  static final List<Verb> ALL =
      List.of(
          new Verb(
              "backup ls",
              List.of(URL),
              List.of(),
              "Show the volumes that have backups at a target. Needs no node.",
              BackupVerbs::volumes),
          new Verb(
              "backup list",
              List.of(WHERE, VOLUME),
              List.of(VolumeBackupVerbs.TARGET),
              """
              Show the backups that this cluster knows, of one volume, or those at a target.
              With the address of a target it needs no node.""",
              BackupVerbs::list),
          new Verb(
              "backup verify",
              List.of(URL),
              List.of(SAMPLE),
              """
              Read the blocks of backups and compare them with their checksums. Needs no node.
              Fails, and names each damaged block, when one is missing or has other bytes.""",
              BackupVerbs::verify),
          new Verb(
              "backup extract",
              List.of(URL),
              List.of(TO, ZERO_DAMAGED),
              """
              Write what a volume held at the moment of a backup into a file on this host. Needs no \
              node.
              The file has its name when it is complete.""",
              BackupVerbs::extract));

  private BackupVerbs() {}

  private static Output volumes(VerbCall call) throws StorageException {
    BackupAddress address = BackupAddress.of(call.get(URL), Optional.empty());
    try (ObjectStore store = address.open(call.context())) {
      LaidOutBackups backups = new LaidOutBackups(store);
      List<BackupEntry<BackupViews.ListedVolume>> entries =
          new BackupReader(call, address, backups)
              .volumes(
                  volume ->
                      new BackupViews.ListedVolume(
                          volume, backups.backupNames(volume.name()).size()));
      return new BackupViews(address.text()).volumes(entries);
    }
  }

  private static Output list(VerbCall call) throws StorageException {
    Optional<String> where = call.value(WHERE);
    Optional<String> target = call.value(VolumeBackupVerbs.TARGET);
    if (where.isEmpty() || !where.get().contains("://")) {
      return VolumeBackupVerbs.list(call, where, target);
    }
    if (target.isPresent()) {
      throw new WrongUse("--target " + target.get() + ": the address names the target: omit one");
    }
    BackupAddress address = BackupAddress.of(where.get(), call.value(VOLUME));
    try (ObjectStore store = address.open(call.context())) {
      LaidOutBackups backups = new LaidOutBackups(store);
      return new BackupViews(address.text())
          .backups(
              new BackupReader(call, address, backups)
                  .backups((volume, name) -> backups.summary(volume, name.backup())));
    }
  }

  private static Output verify(VerbCall call) throws StorageException {
    BackupAddress address = BackupAddress.of(call.get(URL), Optional.empty());
    int percent = call.value(SAMPLE).orElse(100);
    if (percent < 1 || percent > 100) {
      throw new WrongUse("--sample " + percent + ": expected a number from 1 to 100");
    }
    try (ObjectStore store = address.open(call.context())) {
      LaidOutBackups backups = new LaidOutBackups(store);
      BackupVerification verification = new BackupVerification(store, THREADS);
      List<BackupEntry<Verification>> entries =
          new BackupReader(call, address, backups)
              .backups(
                  (volume, name) -> {
                    if (backups.summary(volume, name.backup()).inProgress()) {
                      return Verification.IN_PROGRESS;
                    }
                    call.context().progress("verifying backup " + name);
                    return verified(call, verification, backups.backup(name), percent);
                  });
      return new BackupViews(address.text()).verified(entries);
    }
  }

  private static Verification verified(
      VerbCall call, BackupVerification verification, StoredBackup backup, int percent)
      throws StorageException {
    VerifiedBackup result =
        percent == 100
            ? verification.verify(backup)
            : verification.sample(backup, percent, new SecureRandom());
    if (!result.damaged().isEmpty()) {
      call.fail();
    }
    return Verification.of(result);
  }

  private static Output extract(VerbCall call) throws StorageException {
    BackupAddress address = BackupAddress.of(call.get(URL), Optional.empty());
    Path file = call.get(TO).toAbsolutePath().normalize();
    try (ObjectStore store = address.open(call.context())) {
      StoredBackup backup = new LaidOutBackups(store).backup(address.requireBackup());
      List<DamagedBlock> damaged =
          new FileRestore(store, THREADS).write(backup, file, call.has(ZERO_DAMAGED));
      damaged.forEach(block -> call.context().warn("zeroes instead of a damaged block: " + block));
      return new BackupViews(address.text()).extracted(backup, file, damaged);
    } catch (DamagedBlockException e) {
      throw new StorageException(
          ErrorCode.IO,
          e.getMessage()
              + ": 'holdfast backup verify' names all; --zero-damaged writes zeroes instead",
          e);
    }
  }
}
