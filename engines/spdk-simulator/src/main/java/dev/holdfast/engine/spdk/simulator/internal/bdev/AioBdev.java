package dev.holdfast.engine.spdk.simulator.internal.bdev;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;

/** A file or device of the machine as a block device. */
public final class AioBdev extends Bdev {
  private static final int ZEROES = 1 << 20;

  private final String filename;
  private final FileChannel file;
  private final long blocks;

  private AioBdev(String name, UUID uuid, int blockSize, String filename, FileChannel file)
      throws IOException {
    super(name, uuid, blockSize);
    this.filename = filename;
    this.file = file;
    this.blocks = file.size() / blockSize;
  }

  /**
   * Opens a file.
   *
   * @param filename as the caller named it
   * @param path where it is
   */
  public static AioBdev open(String name, UUID uuid, int blockSize, String filename, Path path)
      throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    try {
      return new AioBdev(name, uuid, blockSize, filename, file);
    } catch (IOException e) {
      file.close();
      throw e;
    }
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  protected String product() {
    return "AIO disk";
  }

  @Override
  protected Set<IoType> supported() {
    return EnumSet.of(IoType.READ, IoType.WRITE, IoType.FLUSH, IoType.RESET, IoType.WRITE_ZEROES);
  }

  @Override
  protected void describe(ObjectNode driver) {
    driver
        .putObject("aio")
        .put("filename", filename)
        .put("block_size_override", true)
        .put("readonly", false)
        .put("fallocate", false)
        .put("nowait", false);
  }

  @Override
  protected void readNow(long offset, ByteBuffer target) throws IOException {
    long at = offset;
    while (target.hasRemaining()) {
      int count = file.read(target, at);
      if (count < 0) {
        throw new EOFException(filename + ": shorter than when it was opened");
      }
      at += count;
    }
  }

  @Override
  protected void writeNow(long offset, ByteBuffer source) throws IOException {
    long at = offset;
    while (source.hasRemaining()) {
      at += file.write(source, at);
    }
  }

  @Override
  protected void zeroNow(long offset, long length) throws IOException {
    ByteBuffer zeroes = ByteBuffer.allocate((int) Math.min(length, ZEROES));
    long end = offset + length;
    for (long at = offset; at < end; at += zeroes.limit()) {
      writeNow(at, zeroes.clear().limit((int) Math.min(zeroes.capacity(), end - at)));
    }
  }

  @Override
  protected void close() throws IOException {
    file.close();
  }
}
