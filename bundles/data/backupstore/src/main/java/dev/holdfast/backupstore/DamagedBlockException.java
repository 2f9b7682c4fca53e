package dev.holdfast.backupstore;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;

/** A block that a backup needs is damaged. The code is {@link ErrorCode#IO}. */
public final class DamagedBlockException extends StorageException {
  private static final long serialVersionUID = 1L;

  private final DamagedBlock block;

  /**
   * Creates an exception.
   *
   * @param backup that needs the block, not null
   * @param block which block, and why it cannot be used, not null
   */
  public DamagedBlockException(BackupName backup, DamagedBlock block) {
    super(ErrorCode.IO, "backup " + backup + ": damaged block: " + block);
    this.block = block;
  }

  /** Returns which block is damaged, and why, never null. */
  public DamagedBlock block() {
    return block;
  }
}
