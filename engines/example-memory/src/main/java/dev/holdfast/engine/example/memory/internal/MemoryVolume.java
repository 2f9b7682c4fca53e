package dev.holdfast.engine.example.memory.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.EngineListener;
import dev.holdfast.engine.Handover;
import dev.holdfast.engine.HandoverVolume;
import dev.holdfast.engine.MemberMode;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;

/** A replica's bytes, page by page, and its openings. Its lock orders all requests. */
final class MemoryVolume {
  private static final int PAGE = 4096;
  private static final int FORMAT = 1;
  private static final String PAGES = "pages";

  private final ReplicaLocation location;
  private final long size;
  private final Map<Long, byte[]> pages = new TreeMap<>();
  private Opening current;

  MemoryVolume(ReplicaLocation location, long size) {
    this.location = location;
    this.size = size;
  }

  /** Takes over what another engine of this name kept: the size, and the numbers of the pages. */
  static MemoryVolume of(ReplicaLocation location, Handover handover) throws StorageException {
    if (handover.format() != FORMAT) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED, location.volume() + ": unknown format " + handover.format());
    }
    ByteBuffer state = ByteBuffer.wrap(handover.state());
    MemoryVolume taken = new MemoryVolume(location, state.getLong());
    for (byte[] page : handover.parts().get(PAGES)) {
      taken.pages.put(state.getLong(), page);
    }
    return taken;
  }

  private Handover handover() {
    ByteBuffer state = ByteBuffer.allocate(Long.BYTES * (1 + pages.size())).putLong(size);
    pages.keySet().forEach(state::putLong);
    byte[][] content = pages.values().toArray(byte[][]::new);
    return new Handover(FORMAT, 1, state.array(), Map.of(PAGES, content));
  }

  ReplicaLocation location() {
    return location;
  }

  long size() {
    return size;
  }

  synchronized long used() {
    return (long) pages.size() * PAGE;
  }

  synchronized boolean isOpen() {
    return current != null;
  }

  synchronized HandoverVolume open(EngineListener listener) {
    if (current != null) {
      current.end(new StorageException(ErrorCode.FORBIDDEN, location.volume() + " was taken over"));
      current.listener.failed(current.ended);
    }
    current = new Opening(listener);
    return current;
  }

  private interface PageAction {
    void run(long page, int from, int length);
  }

  private final class Opening implements HandoverVolume, BlockDevice {
    private final EngineListener listener;
    private StorageException ended;

    Opening(EngineListener listener) {
      this.listener = listener;
    }

    void end(StorageException cause) {
      ended = ended == null ? cause : ended;
    }

    // Cuts a request at the borders of pages; every request passes through this method.
    private void run(long offset, long length, Completion completion, PageAction action) {
      if (BlockRanges.inside(offset, length, size, completion)) {
        StorageException failure;
        synchronized (MemoryVolume.this) {
          failure = ended;
          for (long at = offset; failure == null && at < offset + length; ) {
            int from = (int) (at % PAGE);
            int count = (int) Math.min(PAGE - from, offset + length - at);
            action.run(at / PAGE, from, count);
            at += count;
          }
        }
        completion.completed(failure);
      }
    }

    @Override
    public void read(long offset, ByteBuffer target, Completion completion) {
      PageAction copy =
          (page, from, n) -> target.put(pages.getOrDefault(page, new byte[PAGE]), from, n);
      run(offset, target.remaining(), completion, copy);
    }

    @Override
    public void write(long offset, ByteBuffer source, int flags, Completion completion) {
      PageAction copy =
          (page, from, n) -> source.get(pages.computeIfAbsent(page, p -> new byte[PAGE]), from, n);
      run(offset, source.remaining(), completion, copy);
    }

    @Override
    public void writeZeroes(long offset, long length, int flags, Completion completion) {
      PageAction clear =
          (page, from, n) ->
              pages.computeIfPresent(
                  page,
                  (p, content) -> {
                    Arrays.fill(content, from, from + n, (byte) 0);
                    return n == PAGE ? null : content;
                  });
      run(offset, length, completion, clear);
    }

    @Override
    public void trim(long offset, long length, int flags, Completion completion) {
      writeZeroes(offset, length, flags, completion);
    }

    @Override
    public void flush(Completion completion) {
      run(0, 0, completion, (page, from, n) -> {});
    }

    @Override
    public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
      boolean[] more = {true};
      PageAction visit =
          (page, from, n) -> {
            ExtentKind kind = pages.containsKey(page) ? ExtentKind.DATA : ExtentKind.HOLE;
            more[0] = more[0] && visitor.extent(page * PAGE + from, n, kind);
          };
      run(offset, length, completion, visit);
    }

    @Override
    public BlockDevice device() {
      return this;
    }

    @Override
    public Map<String, MemberMode> replicas() {
      return Map.of(location.replica(), MemberMode.RW);
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public int blockSize() {
      return PAGE;
    }

    @Override
    public Handover handOver(boolean lasting) {
      close();
      synchronized (MemoryVolume.this) {
        return handover();
      }
    }

    @Override
    public void close() {
      synchronized (MemoryVolume.this) {
        end(new StorageException(ErrorCode.IO, location.volume() + " is closed"));
        current = current == this ? null : current;
      }
    }
  }
}
