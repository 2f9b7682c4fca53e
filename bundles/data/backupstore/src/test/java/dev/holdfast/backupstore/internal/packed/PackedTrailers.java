package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.util.List;

/** Reads the trailers of packs, as a writer does after a crash. */
public final class PackedTrailers {
  private PackedTrailers() {}

  /** Returns whether all packs have trailers with chunks. */
  public static boolean areReadable(ObjectStore store, List<StoredObject> packs)
      throws StorageException {
    for (StoredObject pack : packs) {
      if (Packs.read(store, pack, PackedFormat.SMALLEST_CHUNK).isEmpty()) {
        return false;
      }
    }
    return true;
  }
}
