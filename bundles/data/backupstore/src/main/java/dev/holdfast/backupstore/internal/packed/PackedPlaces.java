package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.BlockPlaces;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.Optional;

/** Places of the chunks of a backup in packs. Chunks that follow each other are read at once. */
final class PackedPlaces implements BlockPlaces {
  private static final int WINDOW = 1 << 20;

  private final PackedFormat format;
  private final ChunkList chunks;

  PackedPlaces(PackedFormat format, ChunkList chunks) {
    this.format = format;
    this.chunks = chunks;
  }

  @Override
  public MessageDigest digest() {
    return SealedText.sha256();
  }

  @Override
  public String key(int index) {
    try {
      return PackedKeys.pack(format.volume(), chunks.pack(index));
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public long mark(int index) {
    return ((long) chunks.pack(index).hashCode() << Integer.SIZE) | chunks.offset(index);
  }

  @Override
  public Loader loader(ObjectStore store) {
    return new Window(store);
  }

  /** Keeps the part of a pack that was read last. */
  private final class Window implements Loader {
    private final ObjectStore store;
    private final byte[] bytes = new byte[Math.max(WINDOW, Packs.largest(format.chunkSize()))];
    private final byte[] stored = new byte[Packs.largest(format.chunkSize())];
    private String pack = "";
    private int from;
    private int length;

    Window(ObjectStore store) {
      this.store = store;
    }

    @Override
    public Optional<String> load(int index, byte[] block) throws IOException, StorageException {
      int offset = chunks.offset(index);
      int size = chunks.length(index);
      boolean inside =
          pack.equals(chunks.pack(index)) && offset >= from && offset + size <= from + length;
      if (!inside) {
        fetch(index);
      }
      System.arraycopy(bytes, offset - from, stored, 0, size);
      int count = format.compression().decompressAtMost(stored, size, block);
      return count == block.length
          ? Optional.empty()
          : Optional.of("has " + count + " bytes instead of " + block.length);
    }

    private void fetch(int index) throws StorageException {
      pack = "";
      int wanted = wanted(index);
      try {
        get(index, wanted);
      } catch (StorageException e) {
        boolean truncated = e.code() == ErrorCode.IO && wanted > chunks.length(index);
        if (!truncated) {
          throw e;
        }
        // The chunks behind this one may be those that are lost.
        get(index, chunks.length(index));
      }
      pack = chunks.pack(index);
    }

    private void get(int index, int count) throws StorageException {
      from = chunks.offset(index);
      length = count;
      store.get(key(index), from, ByteBuffer.wrap(bytes, 0, count));
    }

    /** Returns the length of the chunks that follow each other in the backup and in the pack. */
    private int wanted(int index) {
      int end = chunks.offset(index) + chunks.length(index);
      for (int i = index + 1; i < chunks.size(); i++) {
        boolean follows =
            chunks.packNumber(i) == chunks.packNumber(index) && chunks.offset(i) == end;
        if (!follows || end + chunks.length(i) - chunks.offset(index) > bytes.length) {
          break;
        }
        end += chunks.length(i);
      }
      return end - chunks.offset(index);
    }
  }
}
