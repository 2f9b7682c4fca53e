package dev.holdfast.engine.example.outside.internal.disk;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A snapshot for reading. Requests complete before they return. */
public final class CopyDevice implements BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(CopyDevice.class);
  private static final int BLOCK = 4096;

  private final String name;
  private final FileChannel file;
  private final long size;

  private CopyDevice(String name, FileChannel file, long size) {
    this.name = name;
    this.file = file;
    this.size = size;
  }

  /** Opens a copy. The file may be removed afterwards. */
  public static CopyDevice open(String name, Path copy) throws StorageException {
    try {
      FileChannel file = FileChannel.open(copy, StandardOpenOption.READ);
      return new CopyDevice(name, file, file.size());
    } catch (IOException e) {
      throw StorageException.io("snapshot " + name + ": " + copy, e);
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return BLOCK;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (!BlockRanges.inside(offset, target.remaining(), size, completion)) {
      return;
    }
    StorageException failure = null;
    try {
      for (long at = offset; target.hasRemaining(); ) {
        int count = file.read(target, at);
        if (count < 0) {
          throw new EOFException("the file is too short");
        }
        at += count;
      }
    } catch (IOException e) {
      failure = StorageException.io("snapshot " + name, e);
    }
    completion.completed(failure);
  }

  private void refuse(Completion completion) {
    completion.completed(
        new StorageException(
            ErrorCode.UNSUPPORTED,
            "snapshot " + name + ": it is read-only: clone it to change it"));
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void flush(Completion completion) {
    completion.completed(null);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    refuse(completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    refuse(completion);
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
      LOG.debug("snapshot {}: could not close its copy", name, e);
    }
  }
}
