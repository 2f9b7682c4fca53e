package dev.holdfast.backup.internal.objects;

import dev.holdfast.error.StorageException;

/** Classifies failures of reads at a target: failures of one object, and failures of the target. */
public final class ObjectDamage {
  private ObjectDamage() {}

  /**
   * Returns normally if the object is absent or damaged.
   *
   * @param failure of the read of one object
   * @throws StorageException the failure, if the target cannot be read now
   */
  public static void require(StorageException failure) throws StorageException {
    switch (failure.code()) {
      case NOT_FOUND, INVALID, UNSUPPORTED, IO -> {}
      case ALREADY_EXISTS,
          CONFLICT,
          NO_SPACE,
          BUSY,
          UNREACHABLE,
          TIMEOUT,
          EXPIRED,
          FORBIDDEN,
          INTERNAL ->
          throw failure;
    }
  }
}
