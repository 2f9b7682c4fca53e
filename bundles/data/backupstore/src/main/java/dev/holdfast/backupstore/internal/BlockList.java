package dev.holdfast.backupstore.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/** The blocks of a backup, ascending by offset: 40 bytes of memory for each. Immutable. */
public final class BlockList {
  private static final int HASH = 32;

  private final long[] offsets;
  private final byte[] checksums;

  private BlockList(long[] offsets, byte[] checksums) {
    this.offsets = offsets;
    this.checksums = checksums;
  }

  /**
   * Returns the blocks of arrays, which it owns from then on.
   *
   * @param subject begins messages
   * @throws StorageException IO for offsets that are out of order or not those of blocks
   */
  public static BlockList of(
      String subject, long[] offsets, byte[] checksums, int blockSize, long volumeSize)
      throws StorageException {
    for (int i = 0; i < offsets.length; i++) {
      boolean ascending = i == 0 ? offsets[i] >= 0 : offsets[i] > offsets[i - 1];
      if (!ascending || offsets[i] % blockSize != 0 || offsets[i] >= volumeSize) {
        throw new StorageException(
            ErrorCode.IO, subject + ": block at offset " + offsets[i] + ": out of order");
      }
    }
    return new BlockList(offsets, checksums);
  }

  public int size() {
    return offsets.length;
  }

  public long offset(int index) {
    return offsets[index];
  }

  /** Returns the index of the first block that has bytes at an offset or behind it. */
  public int firstEndingBehind(long offset, int blockSize) {
    int place = Arrays.binarySearch(offsets, offset / blockSize * blockSize);
    return place < 0 ? -place - 1 : place;
  }

  public String checksum(int index) {
    return HexFormat.of().formatHex(checksums, index * HASH, (index + 1) * HASH);
  }

  /** Returns the checksum as a key of maps. */
  public Hash hash(int index) {
    ByteBuffer bytes = ByteBuffer.wrap(checksums, index * HASH, HASH);
    return new Hash(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
  }

  /** A checksum of 32 bytes, in less memory than its text. */
  public record Hash(long first, long second, long third, long fourth) {
    /** Reads the beginning of a SHA-512, which is the checksum of a block. */
    public static Hash of(byte[] hash) {
      ByteBuffer bytes = ByteBuffer.wrap(hash);
      return new Hash(bytes.getLong(), bytes.getLong(), bytes.getLong(), bytes.getLong());
    }

    /** Returns the checksum as the names of objects have it. */
    public String text() {
      HexFormat hex = HexFormat.of();
      return hex.toHexDigits(first)
          + hex.toHexDigits(second)
          + hex.toHexDigits(third)
          + hex.toHexDigits(fourth);
    }
  }

  /** Collects blocks in the order of the configuration. Not thread-safe. */
  public static final class Builder {
    private final String subject;
    private final int limit;
    private long[] offsets = new long[64];
    private byte[] checksums = new byte[64 * HASH];
    private int count;

    /**
     * @param subject begins messages
     * @param limit how many blocks the volume can have
     */
    public Builder(String subject, int limit) {
      this.subject = subject;
      this.limit = limit;
    }

    public void add(long offset, String checksum) throws StorageException {
      if (!BlockPool.isChecksum(checksum)) {
        throw damaged("block at offset " + offset + ": its checksum is not 64 hex digits");
      }
      if (count > 0 && offset <= offsets[count - 1]) {
        throw damaged("block at offset " + offset + ": out of order");
      }
      if (count == limit) {
        throw damaged("more than " + limit + " blocks, which is all that the volume can have");
      }
      if (count == offsets.length) {
        int larger = (int) Math.min(limit, 2L * count);
        offsets = Arrays.copyOf(offsets, larger);
        checksums = Arrays.copyOf(checksums, larger * HASH);
      }
      offsets[count] = offset;
      byte[] hash = HexFormat.of().parseHex(checksum);
      System.arraycopy(hash, 0, checksums, count * HASH, HASH);
      count++;
    }

    public BlockList build(int blockSize, long volumeSize) throws StorageException {
      for (int i = 0; i < count; i++) {
        if (offsets[i] < 0 || offsets[i] % blockSize != 0 || offsets[i] >= volumeSize) {
          throw damaged(
              "block at offset "
                  + offsets[i]
                  + ": not a multiple of "
                  + blockSize
                  + " within the volume's "
                  + volumeSize
                  + " bytes");
        }
      }
      return new BlockList(Arrays.copyOf(offsets, count), Arrays.copyOf(checksums, count * HASH));
    }

    private StorageException damaged(String what) {
      return new StorageException(ErrorCode.IO, subject + ": damaged configuration: " + what);
    }
  }
}
