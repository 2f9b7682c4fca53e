package dev.holdfast.store.runtime;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;

/** Resource versions as decimal numbers, counted across all kinds of a store. */
public final class Versions {
  private Versions() {}

  /**
   * Reads a resource version.
   *
   * @throws StorageException INVALID when it is not a decimal number
   */
  public static long parse(String resourceVersion) throws StorageException {
    try {
      long version = Long.parseLong(resourceVersion);
      if (version >= 0) {
        return version;
      }
    } catch (NumberFormatException e) {
      throw new StorageException(ErrorCode.INVALID, notAVersion(resourceVersion), e);
    }
    throw new StorageException(ErrorCode.INVALID, notAVersion(resourceVersion));
  }

  /**
   * Checks that a store still has, or has had, all changes after a version.
   *
   * @param kind of the changes
   * @param version after which changes are wanted
   * @param dropped the greatest version of a change of that kind that is no longer kept, else 0
   * @param latest the greatest version that the store has given
   * @throws StorageException EXPIRED, INVALID
   */
  public static void requireKept(ResourceKind<?> kind, long version, long dropped, long latest)
      throws StorageException {
    if (version > latest) {
      throw new StorageException(
          ErrorCode.INVALID,
          notAVersion(Long.toString(version)) + ": the latest is " + latest + "; list again");
    }
    if (version < dropped) {
      throw new StorageException(
          ErrorCode.EXPIRED,
          "changes of "
              + kind.plural()
              + " after resourceVersion "
              + version
              + " are no longer kept (the oldest kept follow "
              + dropped
              + "); list again");
    }
  }

  private static String notAVersion(String text) {
    return "\"" + text + "\" is not a resourceVersion of this store";
  }
}
