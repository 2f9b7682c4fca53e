package dev.holdfast.backupstore;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdException;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import net.jpountz.lz4.LZ4Factory;
import net.jpountz.lz4.LZ4FrameInputStream;
import net.jpountz.lz4.LZ4FrameOutputStream;
import net.jpountz.xxhash.XXHashFactory;

/** How the blocks of a backup are stored. */
public enum Compression {
  /** LZ4 frames. */
  LZ4,
  /** A gzip stream. */
  GZIP,
  /** The bytes themselves. */
  NONE,
  /** A zstd frame; in the packed layout only, because Longhorn does not read it. */
  ZSTD;

  private static final int ZSTD_LEVEL = 3;

  /**
   * Returns the method that a configuration names; the empty text is gzip, as in old backups.
   *
   * @param subject begins messages, not null
   * @param name in the configuration, not null
   * @throws StorageException UNSUPPORTED for another method
   */
  public static Compression of(String subject, String name) throws StorageException {
    return switch (name) {
      case "lz4" -> LZ4;
      case "gzip", "" -> GZIP;
      case "none" -> NONE;
      default ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED,
              subject
                  + ": compression method \""
                  + Printable.of(name)
                  + "\": this version reads lz4, gzip and none");
    };
  }

  /**
   * Returns the method that an object of the packed layout names.
   *
   * @param subject begins messages, not null
   * @param name in the object, not null
   * @throws StorageException UNSUPPORTED for another method
   */
  public static Compression ofPacked(String subject, String name) throws StorageException {
    return switch (name) {
      case "lz4" -> LZ4;
      case "gzip" -> GZIP;
      case "none" -> NONE;
      case "zstd" -> ZSTD;
      default ->
          throw new StorageException(
              ErrorCode.UNSUPPORTED,
              subject
                  + ": compression method \""
                  + Printable.of(name)
                  + "\": this version reads lz4, gzip, zstd and none: update Holdfast");
    };
  }

  /** Returns whether Longhorn reads blocks that are stored by this method. */
  public boolean isLonghorn() {
    return this != ZSTD;
  }

  /** Returns the name in configurations. */
  public String text() {
    return switch (this) {
      case LZ4 -> "lz4";
      case GZIP -> "gzip";
      case NONE -> "none";
      case ZSTD -> "zstd";
    };
  }

  /**
   * Fills a block from its stored form. Reads at most the bytes of the block, also when the stored
   * form announces more.
   *
   * @throws IOException when the stored form is damaged, or is not that of exactly this many bytes
   */
  void decompress(byte[] stored, int length, byte[] block) throws IOException {
    int count = decompressAtMost(stored, length, block);
    if (count < block.length) {
      throw new IOException("has " + count + " bytes instead of " + block.length);
    }
  }

  /**
   * Fills the beginning of a block from its stored form.
   *
   * @param stored begins with the stored form, not null
   * @param length of the stored form
   * @param block as large as the block may be, not null
   * @return how many bytes the block has
   * @throws IOException when the stored form is damaged, or has more bytes
   */
  public int decompressAtMost(byte[] stored, int length, byte[] block) throws IOException {
    if (this == ZSTD) {
      return unzstd(stored, length, block);
    }
    try (InputStream stream = stream(new ByteArrayInputStream(stored, 0, length))) {
      int count = stream.readNBytes(block, 0, block.length);
      if (stream.read() >= 0) {
        throw new IOException("has more than " + block.length + " bytes");
      }
      return count;
    }
  }

  /**
   * Returns the stored form of a block, which any reader of the layout takes.
   *
   * @param block its bytes, not null
   * @throws IOException never in practice: the stored form is in memory
   */
  public ByteBuffer compress(byte[] block) throws IOException {
    if (this == NONE) {
      return ByteBuffer.wrap(block);
    }
    if (this == ZSTD) {
      return ByteBuffer.wrap(Zstd.compress(block, ZSTD_LEVEL));
    }
    Stored stored = new Stored(block.length);
    try (OutputStream stream =
        this == LZ4 ? lz4(stored, block.length) : new GZIPOutputStream(stored)) {
      stream.write(block);
    }
    return stored.bytes();
  }

  /** Writes into the block only, whatever the frame announces. */
  private static int unzstd(byte[] stored, int length, byte[] block) throws IOException {
    try {
      return (int) Zstd.decompressByteArray(block, 0, block.length, stored, 0, length);
    } catch (ZstdException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static OutputStream lz4(OutputStream stored, int size) throws IOException {
    return new LZ4FrameOutputStream(
        stored,
        frameBlock(size),
        -1L,
        LZ4Factory.fastestJavaInstance().fastCompressor(),
        XXHashFactory.fastestJavaInstance().hash32(),
        LZ4FrameOutputStream.FLG.Bits.BLOCK_INDEPENDENCE,
        LZ4FrameOutputStream.FLG.Bits.CONTENT_CHECKSUM);
  }

  /** A frame allocates buffers of its block size, whatever it holds. */
  private static LZ4FrameOutputStream.BLOCKSIZE frameBlock(int size) {
    if (size <= 64 << 10) {
      return LZ4FrameOutputStream.BLOCKSIZE.SIZE_64KB;
    }
    return size <= 1 << 20
        ? LZ4FrameOutputStream.BLOCKSIZE.SIZE_1MB
        : LZ4FrameOutputStream.BLOCKSIZE.SIZE_4MB;
  }

  /** Collects the stored form without a copy at the end. */
  private static final class Stored extends ByteArrayOutputStream {
    Stored(int expected) {
      super(expected);
    }

    ByteBuffer bytes() {
      return ByteBuffer.wrap(buf, 0, count);
    }
  }

  private InputStream stream(InputStream stored) throws IOException {
    return switch (this) {
      case LZ4 ->
          new LZ4FrameInputStream(
              stored,
              LZ4Factory.fastestJavaInstance().safeDecompressor(),
              XXHashFactory.fastestJavaInstance().hash32());
      case GZIP -> new GZIPInputStream(stored);
      case NONE -> stored;
      case ZSTD -> throw new IllegalStateException("zstd is not read as a stream");
    };
  }
}
