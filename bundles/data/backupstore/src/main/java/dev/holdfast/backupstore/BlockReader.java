package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/** Reads and checks the blocks of one backup with two buffers of its own. Not thread-safe. */
final class BlockReader {
  /** Bytes that compression may add to bytes that cannot be compressed. */
  private static final int OVERHEAD = 64 << 10;

  private final ObjectStore store;
  private final StoredBackup backup;
  private final MessageDigest digest = BlockPool.digest();
  private final byte[] stored;
  private final byte[] block;

  BlockReader(ObjectStore store, StoredBackup backup) {
    this.store = store;
    this.backup = backup;
    int size = backup.summary().blockSize();
    this.block = new byte[size];
    this.stored = new byte[largest(size)];
  }

  /** Returns how many bytes the stored form of a block can have. */
  static int largest(int blockSize) {
    return blockSize + blockSize / 128 + OVERHEAD;
  }

  /** Passes a block to the sink, as bytes or as damaged. */
  void read(int index, BlockSink sink) throws StorageException {
    long offset = backup.blocks().offset(index);
    String checksum = backup.blocks().checksum(index);
    String key = LonghornKeys.block(backup.summary().name().volume(), checksum);
    Optional<String> damage = load(key, checksum);
    if (damage.isPresent()) {
      sink.damaged(new DamagedBlock(offset, backup.lengthAt(offset), key, damage.get()));
    } else {
      sink.block(offset, ByteBuffer.wrap(block, 0, backup.lengthAt(offset)).asReadOnlyBuffer());
    }
  }

  /** Fills the block; returns why it is damaged, if it is. */
  private Optional<String> load(String key, String checksum) throws StorageException {
    Optional<StoredObject> object = store.stat(key);
    if (object.isEmpty()) {
      return Optional.of("is missing");
    }
    long length = object.get().size();
    if (length > stored.length) {
      return Optional.of("has " + length + " bytes, more than a block can take");
    }
    try {
      store.get(key, 0, ByteBuffer.wrap(stored, 0, (int) length));
      backup.summary().compression().decompress(stored, (int) length, block);
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND || e.code() == ErrorCode.IO) {
        return Optional.of("could not be read: " + e.getMessage());
      }
      throw e;
    } catch (IOException | RuntimeException e) {
      // The decoder of LZ4 reports some damaged frames by unchecked exceptions.
      return Optional.of("could not be decompressed: " + e.getMessage());
    }
    String found = BlockPool.checksum(digest.digest(block));
    return found.equals(checksum)
        ? Optional.empty()
        : Optional.of("has other bytes: their checksum is " + found);
  }
}
