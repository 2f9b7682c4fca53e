package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BackupName;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** Keys of the objects of a volume in the packed layout. */
final class PackedKeys {
  static final String VOLUMES = "holdfast/v1/volumes/";
  private static final String MANIFEST = ".json";
  private static final int TIME = "20261130T004200.123Z".length();
  private static final DateTimeFormatter FORM =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss.SSS'Z'").withZone(ZoneOffset.UTC);

  private PackedKeys() {}

  static String folder(String volume) throws StorageException {
    return VOLUMES + BackupName.check("volume", volume) + "/";
  }

  static String format(String volume) throws StorageException {
    return folder(volume) + "format.json";
  }

  static String packs(String volume) throws StorageException {
    return folder(volume) + "packs/";
  }

  static String pack(String volume, String id) throws StorageException {
    return packs(volume) + id + ".pack";
  }

  static String maps(String volume) throws StorageException {
    return folder(volume) + "maps/";
  }

  static String map(String volume, String id) throws StorageException {
    return maps(volume) + id + ".map";
  }

  static String trash(String volume) throws StorageException {
    return folder(volume) + "trash/";
  }

  static String backups(String volume) throws StorageException {
    return folder(volume) + "backups/";
  }

  /**
   * Returns the key of a manifest: keys of later ones are behind those of earlier ones. Fractions
   * of a second do not count, because resources do not keep them.
   */
  static String manifest(BackupName name, Instant completed) throws StorageException {
    BackupName.check("backup", name.backup());
    return backups(name.volume())
        + FORM.format(completed.truncatedTo(ChronoUnit.SECONDS))
        + "-"
        + name.backup()
        + MANIFEST;
  }

  /** Returns the name of the backup whose manifest has a key; empty for another object. */
  static Optional<String> backup(String volume, String key) throws StorageException {
    String file = key.substring(backups(volume).length());
    if (!file.endsWith(MANIFEST) || !file.matches("\\d{8}T\\d{6}\\.\\d{3}Z-[^/]+")) {
      return Optional.empty();
    }
    String name = file.substring(TIME + 1, file.length() - MANIFEST.length());
    return Optional.of(name).filter(BackupName::isValid);
  }

  /** Returns the id in the key of a pack or a map; empty for another object. */
  static Optional<String> id(String key) {
    String file = key.substring(key.lastIndexOf('/') + 1);
    int dot = file.indexOf('.');
    return Optional.of(dot < 0 ? "" : file.substring(0, dot)).filter(Ulid::isValid);
  }
}
