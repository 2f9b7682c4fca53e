package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The packs of a volume that the target has, and the chunks in them that are known. */
final class PackedPool {
  private static final int BYTES_OF_A_CHUNK = 160;

  private final ObjectStore store;
  private final PackedFormat format;
  private final TreeMap<String, StoredObject> packs = new TreeMap<>();
  private final Map<BlockList.Hash, ChunkList.Place> known = new HashMap<>();
  private final long most = Runtime.getRuntime().maxMemory() / 8 / BYTES_OF_A_CHUNK;

  private PackedPool(ObjectStore store, PackedFormat format) {
    this.store = store;
    this.format = format;
  }

  /** Lists the packs by one listing. */
  static PackedPool list(ObjectStore store, PackedFormat format) throws StorageException {
    PackedPool pool = new PackedPool(store, format);
    store.list(
        PackedKeys.packs(format.volume()),
        "",
        object -> PackedKeys.id(object.key()).ifPresent(id -> pool.packs.put(id, object)));
    return pool;
  }

  boolean hasAll(Collection<String> ids) {
    return packs.keySet().containsAll(ids);
  }

  /**
   * Learns the chunks of the last backup, and of the packs that were written after it, which an
   * attempt before a crash may have left.
   */
  void know(ChunkList last) throws StorageException {
    for (int i = 0; i < last.size(); i++) {
      if (packs.containsKey(last.pack(i))) {
        learn(last.hash(i), last.place(i));
      }
    }
    String newest = last.packs().stream().max(String::compareTo).orElse("");
    for (StoredObject pack : packs.tailMap(newest, false).values()) {
      try {
        Packs.read(store, pack, format.chunkSize()).forEach(this::learn);
      } catch (StorageException e) {
        if (e.code() != ErrorCode.IO && e.code() != ErrorCode.NOT_FOUND) {
          throw e;
        }
        // A damaged pack is not used; the next deletion of a backup removes it.
      }
    }
  }

  /** Remembers where a chunk is, as far as there is memory for that. */
  void learn(BlockList.Hash hash, ChunkList.Place place) {
    if (known.size() < most) {
      known.put(hash, place);
    }
  }

  /** Returns the place of a chunk, null if it is not known. */
  ChunkList.Place find(BlockList.Hash hash) {
    return known.get(hash);
  }

  /** A chunk of the earlier backup whose pack the target has lost is read and sent again. */
  void markMissing(BitSet chunks, ChunkList base) {
    for (int i = 0; i < base.size(); i++) {
      if (!packs.containsKey(base.pack(i))) {
        chunks.set(base.number(i));
      }
    }
  }
}
