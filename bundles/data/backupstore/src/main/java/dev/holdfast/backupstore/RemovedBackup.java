package dev.holdfast.backupstore;

import java.util.Objects;

/**
 * The result of the deletion of a backup.
 *
 * @param blocks how many blocks were deleted that no other backup needs
 * @param kept why no blocks were deleted, empty if they were, not null
 */
public record RemovedBackup(int blocks, String kept) {
  /** Checks the components. */
  public RemovedBackup {
    Objects.requireNonNull(kept, "kept");
  }
}
