package dev.holdfast.commands.verbs;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/**
 * A target, or what one volume or one backup of it is, by its address.
 *
 * @param text the address as it was given
 * @param url the same, taken apart
 * @param volume the only volume that is meant; empty for all
 * @param backup the only backup that is meant; empty for all
 */
record BackupAddress(String text, TargetUrl url, Optional<String> volume, Optional<String> backup) {

  /** Reads an address, beside which the volume may be named. */
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
