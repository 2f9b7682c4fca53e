package dev.holdfast.backupstore;

import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.StorageException;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The blocks of a volume that the target has: 90 bytes of memory for each. A block of an impossible
 * size counts as missing. Thread-safe.
 */
final class KnownBlocks {
  private static final String SUFFIX = ".blk";

  private final Set<BlockList.Hash> known = ConcurrentHashMap.newKeySet();

  /** Lists the blocks by one listing. */
  static KnownBlocks list(ObjectStore store, String volume, int blockSize) throws StorageException {
    KnownBlocks blocks = new KnownBlocks();
    String folder = LonghornKeys.blocksFolder(volume);
    long largest = BlockReader.largest(blockSize);
    store.list(
        folder,
        "",
        object -> {
          String checksum = checksum(volume, object.key());
          if (!checksum.isEmpty() && object.size() > 0 && object.size() <= largest) {
            blocks.known.add(BlockList.Hash.of(HexFormat.of().parseHex(checksum)));
          }
        });
    return blocks;
  }

  /** Returns the checksum of the block that has a key, empty for another object. */
  static String checksum(String volume, String key) {
    String name = key.substring(key.lastIndexOf('/') + 1);
    if (!name.endsWith(SUFFIX)) {
      return "";
    }
    String checksum = name.substring(0, name.length() - SUFFIX.length());
    return LonghornKeys.isChecksum(checksum) && LonghornKeys.block(volume, checksum).equals(key)
        ? checksum
        : "";
  }

  boolean has(BlockList.Hash hash) {
    return known.contains(hash);
  }

  /** Adds a block; returns whether it was missing. */
  boolean add(BlockList.Hash hash) {
    return known.add(hash);
  }

  /** Returns whether all blocks of a backup are there. */
  boolean hasAll(BlockList blocks) {
    for (int i = 0; i < blocks.size(); i++) {
      if (!has(blocks.hash(i))) {
        return false;
      }
    }
    return true;
  }

  int count() {
    return known.size();
  }
}
