package dev.holdfast.commands.verbs;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * The address of a backup target, or of a volume or a backup there.
 *
 * @param text address from the user
 * @param url the parsed address
 * @param volume the selected volume; empty for all
 * @param backup the selected backup; empty for all
 */
record BackupAddress(String text, TargetUrl url, Optional<String> volume, Optional<String> backup) {

  /** Parses an address, which an option with the volume may complete. */
  static BackupAddress of(String text, Optional<String> volume) throws StorageException {
    TargetUrl url = TargetUrl.parse(text);
    Optional<String> named = parameter(url, TargetUrl.VOLUME);
    Optional<String> backup = parameter(url, TargetUrl.BACKUP);
    if (volume.isPresent() && named.isPresent() && !volume.equals(named)) {
      throw new WrongUse(
          "VOLUME "
              + volume.get()
              + ": the address names the volume "
              + named.get()
              + ": omit one");
    }
    Optional<String> meant = volume.or(() -> named);
    if (backup.isPresent() && meant.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "address \""
              + text
              + "\": parameter backup needs the parameter volume: add '&volume=NAME', and quote the"
              + " address");
    }
    return new BackupAddress(text, url, meant, backup);
  }

  private static Optional<String> parameter(TargetUrl url, String name) {
    return Optional.of(url.parameter(name)).filter(value -> !value.isEmpty());
  }

  /** Returns the one backup that the address must name. */
  BackupName requireBackup() throws StorageException {
    if (backup.isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "address \""
              + text
              + "\": names no backup: add '?backup=NAME&volume=NAME' of 'holdfast backup list URL',"
              + " and quote the address");
    }
    return new BackupName(volume.orElseThrow(), backup.get());
  }

  /** Opens the target. */
  ObjectStore open(VerbContext context) throws StorageException {
    return context.backupTargets().open(url, context::variable);
  }
}
