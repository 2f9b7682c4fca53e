package dev.holdfast.engine.spdk.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.spdk.simulator.fabric.FabricConnection;
import dev.holdfast.engine.spdk.simulator.fabric.FabricNamespace;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;

/** A namespace of a simulated target as a device. Requests end before their call returns. */
final class FabricDevice implements BlockDevice {
  private final FabricConnection connection;
  private final FabricNamespace namespace;
  private volatile boolean closed;

  FabricDevice(FabricConnection connection) throws IOException {
    this.connection = connection;
    if (connection.namespaces().isEmpty()) {
      throw new IOException("subsystem without a namespace");
    }
    this.namespace = connection.namespaces().get(0);
  }

  @Override
  public long size() {
    return namespace.blocks() * namespace.blockSize();
  }

  @Override
  public int blockSize() {
    return namespace.blockSize();
  }

  /** Work on the namespace. */
  private interface Io {
    void run() throws IOException;
  }

  private void run(long offset, long length, Completion completion, Io io) {
    if (closed) {
      completion.completed(new StorageException(ErrorCode.IO, "device is closed"));
      return;
    }
    if (!BlockRanges.inside(offset, length, size(), completion)) {
      return;
    }
    StorageException failure = null;
    try {
      io.run();
    } catch (IOException e) {
      failure = new StorageException(ErrorCode.UNREACHABLE, String.valueOf(e.getMessage()), e);
    }
    completion.completed(failure);
  }

  private long down(long offset) {
    return offset / blockSize() * blockSize();
  }

  private ByteBuffer around(long offset, long length) throws IOException {
    long from = down(offset);
    long to = down(offset + length + blockSize() - 1);
    ByteBuffer blocks = ByteBuffer.allocate((int) (to - from));
    namespace.read(from, blocks);
    return blocks.clear();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    int length = target.remaining();
    run(
        offset,
        length,
        completion,
        () -> target.put(around(offset, length).slice((int) (offset - down(offset)), length)));
  }

  private synchronized void change(long offset, ByteBuffer source) throws IOException {
    if (!source.hasRemaining()) {
      return;
    }
    ByteBuffer blocks = around(offset, source.remaining());
    blocks.slice((int) (offset - down(offset)), source.remaining()).put(source);
    namespace.write(down(offset), blocks);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    run(offset, source.remaining(), completion, () -> change(offset, source));
  }

  @Override
  public void flush(Completion completion) {
    run(0, 0, completion, () -> {});
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    run(
        offset,
        length,
        completion,
        () -> {
          for (long at = offset; at < offset + length; at += 1 << 20) {
            change(at, ByteBuffer.allocate((int) Math.min(1 << 20, offset + length - at)));
          }
        });
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    run(
        offset,
        length,
        completion,
        () -> {
          boolean unused = length == 0 || visitor.extent(offset, length, ExtentKind.DATA);
        });
  }

  @Override
  public void close() {
    closed = true;
    connection.close();
  }
}
