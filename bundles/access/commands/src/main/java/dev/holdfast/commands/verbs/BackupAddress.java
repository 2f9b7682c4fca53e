package dev.holdfast.commands.verbs;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.backupstore.layout.EncryptedTargets;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The address of a backup target, or of a volume or a backup there.
 *
 * @param text address from the user
 * @param url the parsed address
 * @param volume the selected volume; empty for all
 * @param backup the selected backup; empty for all
 */
record BackupAddress(String text, TargetUrl url, Optional<String> volume, Optional<String> backup) {
  private static final String KEYS = "HOLDFAST_BACKUP_KEYS";
  private static final int LONGEST_KEY = 4096;

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

  /** Opens the target, with the keys of its backups if a variable names their folder. */
  ObjectStore open(VerbContext context) throws StorageException {
    Optional<String> folder = context.variable(KEYS).filter(name -> !name.isEmpty());
    Map<String, byte[]> keys =
        folder.isPresent() ? keys(Path.of(folder.get())) : Map.<String, byte[]>of();
    ObjectStore store = context.backupTargets().open(url, context::variable);
    if (folder.isEmpty()) {
      return store;
    }
    try {
      return EncryptedTargets.encrypted(store, folder.get(), keys);
    } catch (StorageException e) {
      store.close();
      throw e;
    }
  }

  /** Reads a secret that is a folder with a file for each key. */
  private static Map<String, byte[]> keys(Path folder) throws StorageException {
    Map<String, byte[]> keys = new TreeMap<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        try (InputStream content = Files.newInputStream(file)) {
          keys.put(file.getFileName().toString(), content.readNBytes(LONGEST_KEY));
        }
      }
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          KEYS + "=" + folder + ": expected a folder with one file for each key: " + e,
          e);
    }
    return keys;
  }
}
