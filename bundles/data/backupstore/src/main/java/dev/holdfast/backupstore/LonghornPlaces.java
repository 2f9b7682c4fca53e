package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/** Places of blocks in Longhorn's layout: each is an object that is named by its checksum. */
record LonghornPlaces(BackupSummary summary, BlockList blocks) implements BlockPlaces {
  @Override
  public MessageDigest digest() {
    return BlockPool.digest();
  }

  @Override
  public String key(int index) {
    return LonghornKeys.block(summary.name().volume(), blocks.checksum(index));
  }

  @Override
  public long mark(int index) {
    return 0;
  }

  @Override
  public Loader loader(ObjectStore store) {
    byte[] stored = new byte[BlockReader.largest(summary.blockSize())];
    return (index, block) -> load(store, index, stored, block);
  }

  private Optional<String> load(ObjectStore store, int index, byte[] stored, byte[] block)
      throws IOException, StorageException {
    Optional<StoredObject> object = store.stat(key(index));
    if (object.isEmpty()) {
      return Optional.of("is missing");
    }
    long length = object.get().size();
    if (length > stored.length) {
      return Optional.of("has " + length + " bytes, more than a block can hold");
    }
    store.get(key(index), 0, ByteBuffer.wrap(stored, 0, (int) length));
    summary.compression().decompress(stored, (int) length, block);
    return Optional.empty();
  }
}
