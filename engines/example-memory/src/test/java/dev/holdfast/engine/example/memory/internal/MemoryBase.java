package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.engine.BaseInfo;
import dev.holdfast.engine.BaseWriter;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/** A base in memory, over a device that keeps its bytes. */
final class MemoryBase {
  private final String name;
  private final BlockDevice content;
  // A bit for each byte that was written.
  private final BitSet covered = new BitSet();
  private BitSet durable = new BitSet();
  private String checksum = "";
  private boolean writing;
  private int readers;

  MemoryBase(String name, BlockDevice content) {
    this.name = name;
    this.content = content;
  }

  BlockDevice content() {
    return content;
  }

  synchronized BaseInfo info(long stored) {
    return new BaseInfo(!checksum.isEmpty(), false, content.size(), stored, checksum);
  }

  synchronized String checksum() {
    return checksum;
  }

  synchronized boolean busy() {
    return writing || readers > 0;
  }

  synchronized BaseWriter write() throws StorageException {
    if (!checksum.isEmpty()) {
      throw new StorageException(ErrorCode.CONFLICT, name + " is sealed already");
    }
    if (writing) {
      throw new StorageException(ErrorCode.BUSY, name + " is being written");
    }
    writing = true;
    return new Writer();
  }

  synchronized BlockDevice read() {
    readers++;
    return new Content() {
      @Override
      public void close() {
        synchronized (MemoryBase.this) {
          readers--;
        }
      }
    };
  }

  private synchronized BitSet complete() {
    BitSet complete = new BitSet();
    for (int region = 0; region * BaseWriter.REGION_BYTES < content.size(); region++) {
      long end = Math.min(content.size(), (region + 1) * BaseWriter.REGION_BYTES);
      complete.set(region, covered.nextClearBit((int) (region * BaseWriter.REGION_BYTES)) >= end);
    }
    return complete;
  }

  /** The content, which can be changed until it is sealed. */
  private class Content extends ForwardingBlockDevice {
    Content() {
      super(content);
    }

    private boolean mayChange(Completion completion) {
      boolean sealed = !checksum().isEmpty();
      if (sealed) {
        completion.completed(
            new StorageException(ErrorCode.UNSUPPORTED, name + " can only be read"));
      }
      return !sealed;
    }

    private Completion noting(long offset, long length, Completion completion) {
      return failure -> {
        synchronized (MemoryBase.this) {
          if (failure == null) {
            covered.set((int) offset, (int) (offset + length));
          }
        }
        completion.completed(failure);
      };
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      if (mayChange(completion)) {
        super.write(offset, source, flags, noting(offset, source.remaining(), completion));
      }
    }

    @Override
    public void trim(long offset, long length, int flags, Completion completion) {
      writeZeroes(offset, length, flags, completion);
    }

    @Override
    public void writeZeroes(long offset, long length, int flags, Completion completion) {
      if (mayChange(completion)) {
        super.writeZeroes(offset, length, flags, noting(offset, length, completion));
      }
    }

    @Override
    public void flush(Completion completion) {
      synchronized (MemoryBase.this) {
        durable = complete();
      }
      super.flush(completion);
    }

    @Override
    public void close() {
      // The bytes stay.
    }
  }

  /** The only writer. */
  private final class Writer implements BaseWriter {
    private final BlockDevice device = new Content();

    @Override
    public BlockDevice device() {
      return device;
    }

    @Override
    public BitSet written() {
      synchronized (MemoryBase.this) {
        return (BitSet) durable.clone();
      }
    }

    @Override
    public void seal(String contentChecksum) throws StorageException {
      synchronized (MemoryBase.this) {
        if (contentChecksum.isEmpty() || covered.nextClearBit(0) < content.size()) {
          throw new StorageException(ErrorCode.INVALID, name + " is not complete");
        }
        checksum = contentChecksum;
      }
    }

    @Override
    public void close() {
      synchronized (MemoryBase.this) {
        writing = false;
      }
    }
  }
}
