package dev.holdfast.frontend.nbd;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A plain file as a device that completes within each call. */
final class FileBlockDevice implements BlockDevice {
  private static final int ZEROES = 64 << 10;

  private final Path path;
  private final FileChannel file;
  private final long size;

  private FileBlockDevice(Path path, FileChannel file, long size) {
    this.path = path;
    this.file = file;
    this.size = size;
  }

  static FileBlockDevice open(Path path) throws IOException {
    FileChannel file = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    return new FileBlockDevice(path, file, file.size());
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return 4096;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size, completion)) {
      return;
    }
    StorageException failure = null;
    try {
      long at = offset;
      while (target.hasRemaining()) {
        at += file.read(target, at);
      }
    } catch (IOException e) {
      failure = StorageException.io(path.toString(), e);
    }
    completion.completed(failure);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (!BlockRanges.inside(offset, source.remaining(), size, completion)) {
      return;
    }
    StorageException failure = null;
    try {
      long at = offset;
      while (source.hasRemaining()) {
        at += file.write(source, at);
      }
      harden(flags);
    } catch (IOException e) {
      failure = StorageException.io(path.toString(), e);
    }
    completion.completed(failure);
  }

  @Override
  public void flush(Completion completion) {
    run(() -> file.force(false), completion);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    writeZeroes(offset, length, flags, completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      run(
          () -> {
            ByteBuffer zeroes = ByteBuffer.allocateDirect(ZEROES);
            for (long at = offset; at < offset + length; ) {
              zeroes.clear().limit((int) Math.min(ZEROES, offset + length - at));
              at += file.write(zeroes, at);
            }
            harden(flags);
          },
          completion);
    }
  }

  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      if (length > 0) {
        visitor.extent(offset, length, ExtentKind.DATA);
      }
      completion.completed(null);
    }
  }

  @Override
  public void close() {
    try {
      file.close();
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void harden(int flags) throws IOException {
    if ((flags & IoFlags.FUA) != 0) {
      file.force(false);
    }
  }

  private void run(FileAction action, Completion completion) {
    StorageException failure = null;
    try {
      action.run();
    } catch (IOException e) {
      failure = StorageException.io(path.toString(), e);
    }
    completion.completed(failure);
  }

  private interface FileAction {
    void run() throws IOException;
  }
}
