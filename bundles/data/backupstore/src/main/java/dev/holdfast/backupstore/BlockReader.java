package dev.holdfast.backupstore;

import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backuptarget.ObjectStore;
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

  private final StoredBackup backup;
  private final BlockPlaces.Loader loader;
  private final MessageDigest digest;
  private final byte[] block;

  BlockReader(ObjectStore store, StoredBackup backup) {
    this.backup = backup;
    this.loader = backup.places().loader(store);
    this.digest = backup.places().digest();
    this.block = new byte[backup.summary().blockSize()];
  }

  /** Returns how many bytes the stored form of a block can have. */
  static int largest(int blockSize) {
    return blockSize + blockSize / 128 + OVERHEAD;
  }

  /** Passes a block to the sink, as bytes or as damaged. */
  void read(int index, BlockSink sink) throws StorageException {
    long offset = backup.blocks().offset(index);
    Optional<String> damage = load(index);
    if (damage.isPresent()) {
      sink.damaged(
          new DamagedBlock(
              offset, backup.lengthAt(offset), backup.places().key(index), damage.get()));
    } else {
      sink.block(offset, ByteBuffer.wrap(block, 0, backup.lengthAt(offset)).asReadOnlyBuffer());
    }
  }

  /** Fills the block; returns why it is damaged, if it is. */
  private Optional<String> load(int index) throws StorageException {
    try {
      Optional<String> damage = loader.load(index, block);
      if (damage.isPresent()) {
        return damage;
      }
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
    return found.equals(backup.blocks().checksum(index))
        ? Optional.empty()
        : Optional.of("has other bytes: their checksum is " + found);
  }
}
