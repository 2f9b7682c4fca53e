package dev.holdfast.backupstore.internal;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The blocks of a pool that the target has: 90 bytes of memory for each. A block of an impossible
 * size counts as missing. Thread-safe.
 */
public final class KnownBlocks {
  private final Set<BlockList.Hash> known = ConcurrentHashMap.newKeySet();

  /**
   * Lists the blocks by one listing.
   *
   * @param largest size of the stored form of a block
   */
  public static KnownBlocks list(ObjectStore store, BlockPool pool, long largest)
      throws StorageException {
    KnownBlocks blocks = new KnownBlocks();
    store.list(
        pool.folder(),
        "",
        object -> {
          String checksum = pool.checksum(object.key());
          if (!checksum.isEmpty() && object.size() > 0 && object.size() <= largest) {
            blocks.known.add(BlockList.Hash.of(HexFormat.of().parseHex(checksum)));
          }
        });
    return blocks;
  }

  public boolean has(BlockList.Hash hash) {
    return known.contains(hash);
  }

  /** Adds a block; returns whether it was missing. */
  public boolean add(BlockList.Hash hash) {
    return known.add(hash);
  }

  /** Returns whether all blocks of a backup are there. */
  public boolean hasAll(BlockList blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      if (!has(blocks.hash(i))) {
        return false;
      }
    }
    return true;
  }

  public int count() {
    return known.size();
  }
}
