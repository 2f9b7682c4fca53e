package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Objects;

/**
 * A backup by its names.
 *
 * @param volume name of the volume, not null
 * @param backup name of the backup, not null
 */
public record BackupName(String volume, String backup) {
  /** Checks the components. */
  public BackupName {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(backup, "backup");
  }

  /**
   * Returns whether this layout can hold something of a name.
   *
   * @param name of a volume, backup or image, not null
   */
  public static boolean isValid(String name) {
    return name.matches("[a-zA-Z0-9][a-zA-Z0-9_.-]+") && name.length() <= 200;
  }

  /**
   * Refuses a name that this layout cannot hold.
   *
   * @param what kind of the named object, for the message, not null
   * @param name of a volume, backup or image, not null
   * @return the name
   * @throws StorageException INVALID
   */
  public static String check(String what, String name) throws StorageException {
    if (!isValid(name)) {
      throw new StorageException(
          ErrorCode.INVALID,
          what
              + " \""
              + name
              + "\": expected 2 to 200 letters, digits, dots, hyphens or underscores");
    }
    return name;
  }

  /** Returns a text of a target for a message: without control characters, cut where it is long. */
  public static String printable(String text) {
    return Printable.of(text);
  }

  @Override
  public String toString() {
    return volume + "/" + backup;
  }
}
