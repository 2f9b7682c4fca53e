package dev.holdfast.commands;

import java.util.Objects;
import java.util.Optional;

/**
 * A volume or a backup of a target, with its content if readable.
 *
 * @param <T> what was read
 * @param volume name of the volume, not null
 * @param backup name of the backup; empty for a volume; not null
 * @param content the content; empty for an unreadable item; not null
 * @param problem why the item cannot be read; empty otherwise; not null
 */
public record BackupEntry<T>(String volume, String backup, Optional<T> content, String problem) {
  /** Checks the components. */
  public BackupEntry {
    Objects.requireNonNull(volume, "volume");
    Objects.requireNonNull(backup, "backup");
    Objects.requireNonNull(content, "content");
    Objects.requireNonNull(problem, "problem");
  }
}
