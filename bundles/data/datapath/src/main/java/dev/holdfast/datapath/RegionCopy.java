package dev.holdfast.datapath;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.IoFlags;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;

/**
 * One copying of the first content into a volume that is open in this process; resumes where an
 * earlier one broke off. What the volume has where the source has nothing is zeroed, so that a
 * region that was copied in part leaves no trace. Used by one thread.
 */
public final class RegionCopy {
  private static final int MOST_DATA = 8 << 20;

  /** Limit of the data that is copied again after a crash. */
  private static final long MOST_UNRECORDED = 128L << 20;

  private final CopySource source;
  private final CopyingDevice device;
  private final CopyRecord record;

  /** Source of the content. */
  public interface CopySource {
    /**
     * Returns what is not zero in a range, in order.
     *
     * @throws StorageException UNREACHABLE while it is not open here; NOT_FOUND when it is gone; IO
     */
    List<Range> allocated(Range within) throws StorageException;

    /** Reads a range whole. */
    void read(long offset, ByteBuffer target) throws StorageException;
  }

  /**
   * A part of a device.
   *
   * @param offset of its first byte
   * @param length in bytes
   */
  public record Range(long offset, long length) {
    /** Returns the offset behind the last byte. */
    public long end() {
      return offset + length;
    }
  }

  /** A request to a device. */
  public interface Request extends Consumer<Completion> {}

  /**
   * Creates a copying.
   *
   * @param source of the content, not null
   * @param device into which it is copied, not null
   * @param record of what is copied durably, not null
   */
  public RegionCopy(CopySource source, CopyingDevice device, CopyRecord record) {
    this.source = source;
    this.device = device;
    this.record = record;
  }

  /**
   * Copies what is missing, durably.
   *
   * @throws StorageException UNREACHABLE when the source was closed during the copying; CONFLICT
   *     when nothing is to be copied any more; NOT_FOUND without the snapshot; NO_SPACE; IO
   */
  public void run() throws StorageException {
    var unused = record.current();
    long unrecorded = 0;
    while (!device.isWhole()) {
      OptionalInt region = device.next();
      if (region.isPresent() && unrecorded < MOST_UNRECORDED && !device.awaitsRecord()) {
        unrecorded += copy(region.getAsInt());
        device.copied(region.getAsInt());
      } else {
        record();
        unrecorded = 0;
      }
    }
  }

  private void record() throws StorageException {
    var copied = device.copied();
    await(device.target()::flush);
    record.add(copied);
    device.recorded(copied);
  }

  /** Returns how many bytes were written. */
  private long copy(int region) throws StorageException {
    BlockDevice target = device.target();
    long clean = device.plan().start(region);
    long end = device.plan().end(region);
    long written = 0;
    for (Range found : source.allocated(new Range(clean, end - clean))) {
      zero(target, clean, found.offset());
      for (long from = found.offset(); from < found.end(); from += MOST_DATA) {
        int length = (int) Math.min(MOST_DATA, found.end() - from);
        ByteBuffer bytes = ByteBuffer.allocateDirect(length);
        source.read(from, bytes);
        long offset = from;
        await(completion -> target.write(offset, bytes.flip(), IoFlags.NONE, completion));
        written += length;
      }
      clean = found.end();
    }
    zero(target, clean, end);
    return written;
  }

  private static void zero(BlockDevice target, long from, long end) throws StorageException {
    if (from >= end) {
      return;
    }
    List<Range> stale = new ArrayList<>();
    await(
        completion ->
            target.extents(
                from,
                end - from,
                (offset, length, kind) -> {
                  long start = Math.max(offset, from);
                  if (kind == ExtentKind.DATA) {
                    stale.add(new Range(start, Math.min(offset + length, end) - start));
                  }
                  return true;
                },
                completion));
    for (Range range : stale) {
      await(
          completion ->
              target.writeZeroes(range.offset(), range.length(), IoFlags.NONE, completion));
    }
  }

  /**
   * Issues a request and waits for its completion.
   *
   * @param request receives the completion, not null
   * @throws StorageException that the request completed with
   */
  public static void await(Request request) throws StorageException {
    CompletableFuture<Void> outcome = new CompletableFuture<>();
    request.accept(
        failure -> {
          if (failure == null) {
            outcome.complete(null);
          } else {
            outcome.completeExceptionally(failure);
          }
        });
    join(outcome);
  }

  /**
   * Waits for an outcome.
   *
   * @param outcome of an operation, not null
   * @return its result
   * @throws StorageException that it failed with
   */
  public static <T> T join(CompletableFuture<T> outcome) throws StorageException {
    try {
      return outcome.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof StorageException failure) {
        throw failure;
      }
      throw e;
    }
  }
}
