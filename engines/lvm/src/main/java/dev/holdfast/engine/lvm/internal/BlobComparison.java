package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobManager;
import dev.holdfast.engine.lvm.internal.device.AlignedBuffers;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One comparison of two contents. The pool's metadata names blocks of 64 KiB; those are read and
 * compared, so that only blocks of 4 KiB count which differ. For one thread.
 */
final class BlobComparison implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(BlobComparison.class);
  private static final int BLOCK = RawDevice.ALIGNMENT;

  private final String name;
  private final Optional<RawDevice> older;
  private final RawDevice newer;
  private final AlignedBuffers buffers;

  /**
   * Prepares a comparison.
   *
   * @param name of the volume, for messages
   * @param older content, empty to compare with zeroes; closed with this
   * @param newer content, closed with this
   */
  BlobComparison(String name, Optional<RawDevice> older, RawDevice newer, AlignedBuffers buffers) {
    this.name = name;
    this.older = older;
    this.newer = newer;
    this.buffers = buffers;
  }

  /** A range that the pool's metadata names. */
  private record Range(long offset, long length, ExtentKind kind) {}

  /** Reports the differences; the blobs are those of the devices. */
  void run(BlobManager blobs, Optional<Blob> olderBlob, Blob newerBlob, ExtentVisitor visitor)
      throws StorageException {
    List<Range> ranges = new ArrayList<>();
    blobs.changes(
        olderBlob,
        newerBlob,
        (offset, length, kind) -> ranges.add(new Range(offset, length, kind)));
    long olderSize = olderBlob.isPresent() ? blobs.size(olderBlob.get()) : 0;
    ExtentMerger merger = new ExtentMerger(visitor);
    try {
      for (Range range : ranges) {
        boolean more =
            range.kind() == ExtentKind.DATA
                ? compare(range, olderSize, merger)
                : merger.add(range.offset(), range.length(), range.kind());
        if (!more) {
          return;
        }
      }
    } catch (IOException e) {
      throw StorageException.io(name + ": could not compare its contents", e);
    }
    merger.end();
  }

  private boolean compare(Range range, long olderSize, ExtentMerger merger) throws IOException {
    ByteBuffer one = buffers.take(AlignedBuffers.SIZE);
    ByteBuffer other = buffers.take(AlignedBuffers.SIZE);
    try {
      long end = range.offset() + range.length();
      boolean more = true;
      for (long at = range.offset(); more && at < end; at += AlignedBuffers.SIZE) {
        int length = (int) Math.min(AlignedBuffers.SIZE, end - at);
        newer.read(at, one.clear().limit(length));
        readOlder(at, other.clear().limit(length), olderSize);
        for (int from = 0; more && from < length; from += BLOCK) {
          boolean same = one.slice(from, BLOCK).equals(other.slice(from, BLOCK));
          more = merger.add(at + from, BLOCK, same ? ExtentKind.HOLE : ExtentKind.DATA);
        }
      }
      return more;
    } finally {
      buffers.giveBack(one);
      buffers.giveBack(other);
    }
  }

  /** Behind its end, and when there is none, the older content reads as zeroes. */
  private void readOlder(long at, ByteBuffer target, long olderSize) throws IOException {
    int length = target.limit();
    int present = (int) Math.max(0, Math.min(length, olderSize - at));
    if (older.isPresent() && present > 0) {
      older.get().read(at, target.limit(present));
    }
    target.limit(length).position(present);
    target.put(buffers.zeroes(length - present));
  }

  @Override
  public void close() {
    try {
      newer.close();
      if (older.isPresent()) {
        older.get().close();
      }
    } catch (IOException e) {
      LOG.debug("{}: could not close a compared content", name, e);
    }
  }

  /** Joins neighbouring extents of one kind. */
  private static final class ExtentMerger {
    private final ExtentVisitor visitor;
    private long offset;
    private long length;
    private ExtentKind kind = ExtentKind.HOLE;

    ExtentMerger(ExtentVisitor visitor) {
      this.visitor = visitor;
    }

    boolean add(long from, long count, ExtentKind next) {
      if (length > 0 && next == kind) {
        length += count;
        return true;
      }
      boolean more = length == 0 || visitor.extent(offset, length, kind);
      offset = from;
      length = count;
      kind = next;
      return more;
    }

    void end() {
      if (length > 0) {
        boolean unused = visitor.extent(offset, length, kind);
      }
    }
  }
}
