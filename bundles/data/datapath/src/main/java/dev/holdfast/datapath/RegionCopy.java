package dev.holdfast.datapath;

import dev.holdfast.block.Completion;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * One copy of the first content into a volume that is open in this process. Resumes where an
 * earlier copy stopped. Each source copies one region at a time, so that several regions are in
 * flight. The first source serves only regions that requests wait for while others copy the rest,
 * so a request waits only for its own region. Used by one thread.
 */
public final class RegionCopy {
  /** Maximum bytes that are copied again after a crash. */
  private static final long MOST_UNRECORDED = 128L << 20;

  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration LONG_PAUSE = Duration.ofMinutes(1);

  private final List<? extends CopySource> sources;
  private final Executor threads;
  private final CopyingDevice device;
  private final CopyRecord record;
  private final AtomicLong unrecorded = new AtomicLong();
  private volatile boolean stopped;

  /** Source of the content. */
  public interface CopySource {
    /**
     * Returns, in order, the parts of a range that are not zero or, above a base, that differ from
     * the base.
     *
     * @throws StorageException UNREACHABLE while the source is not open here; NOT_FOUND when it was
     *     removed; IO
     */
    List<Range> allocated(Range within) throws StorageException;

    /**
     * Fills the buffer with a range.
     *
     * @throws StorageException as {@link #allocated}
     */
    void read(long offset, ByteBuffer target) throws StorageException;

    /**
     * Returns whether the volume already has the content where this source has none, for example
     * from an image below it. Such parts are left unchanged.
     */
    default boolean isAboveBase() {
      return false;
    }

    /**
     * Returns whether a range of {@link #allocated} has only zeroes and need not be read: the
     * volume discards its data there.
     *
     * @param range range as returned, not null
     */
    default boolean isZero(Range range) {
      return false;
    }

    /**
     * Returns whether a failure means that a part of the content is damaged, so that other parts
     * may be readable.
     *
     * @param failure of this source, not null
     */
    default boolean isDamage(StorageException failure) {
      return false;
    }
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
   * Creates a copy of one region at a time, on the thread that runs it.
   *
   * @param source source of the content, not null
   * @param device device that receives the content, not null
   * @param record record of the durable regions, not null
   */
  public RegionCopy(CopySource source, CopyingDevice device, CopyRecord record) {
    this(List.of(source), Runnable::run, device, record);
  }

  /**
   * Creates a copy of several regions at a time.
   *
   * @param sources sources of the same content, each used by one thread at a time; at least one
   * @param threads run all sources except the first concurrently, not null
   * @param device device that receives the content, not null
   * @param record record of the durable regions, not null
   */
  public RegionCopy(
      List<? extends CopySource> sources,
      Executor threads,
      CopyingDevice device,
      CopyRecord record) {
    this.sources = List.copyOf(sources);
    this.threads = threads;
    this.device = device;
    this.record = record;
  }

  /**
   * Copies the missing regions durably. Damaged regions are tried once and do not delay the others.
   *
   * @throws StorageException UNREACHABLE when the source or the volume was closed during the copy;
   *     CONFLICT when the copy was cancelled; NOT_FOUND without the snapshot; NO_SPACE; IO, also
   *     for a damaged region when all others are copied
   */
  public void run() throws StorageException {
    var unused = record.current();
    device.forgetDamage();
    AtomicInteger running = new AtomicInteger(sources.size() - 1);
    List<CompletableFuture<Void>> others = new ArrayList<>();
    for (CopySource source : sources.subList(1, sources.size())) {
      others.add(CompletableFuture.runAsync(() -> copyAll(source, running), threads));
    }
    try {
      lead(running);
    } finally {
      stopped = true;
      device.signal();
      others.forEach(other -> other.exceptionally(failure -> null).join());
    }
    for (CompletableFuture<Void> other : others) {
      join(other);
    }
    if (!device.isWhole()) {
      record();
    }
    Optional<StorageException> damage = device.damage();
    if (damage.isPresent()) {
      throw damage.get();
    }
  }

  /**
   * Copies awaited regions and records progress until the other threads have ended. While the store
   * is unreachable, reads are served and changes wait.
   */
  private void lead(AtomicInteger running) throws StorageException {
    RegionWriter writer = new RegionWriter(sources.get(0), device);
    boolean alone = sources.size() == 1;
    long recordNotBefore = System.nanoTime();
    while (!stopped && !device.isWhole()) {
      long seen = device.changes();
      requireOpen();
      boolean due = unrecorded.get() >= MOST_UNRECORDED || device.awaitsRecord();
      if (due && System.nanoTime() - recordNotBefore >= 0) {
        recordNotBefore = System.nanoTime() + (records() ? 0 : PAUSE.toNanos());
        continue;
      }
      OptionalInt region = alone ? device.take() : device.takeAwaited();
      if (region.isPresent()) {
        count(writer.copy(region.getAsInt()));
      } else if (running.get() == 0) {
        return;
      } else {
        device.awaitChange(seen, due ? PAUSE : LONG_PAUSE);
      }
    }
  }

  /** Copies regions until none remains to be taken. */
  private void copyAll(CopySource source, AtomicInteger running) {
    boolean complete = false;
    try {
      RegionWriter writer = new RegionWriter(source, device);
      boolean more = true;
      while (more && !stopped) {
        long seen = device.changes();
        requireOpen();
        if (unrecorded.get() >= MOST_UNRECORDED) {
          device.awaitChange(seen, LONG_PAUSE);
          continue;
        }
        OptionalInt region = device.take();
        more = region.isPresent();
        if (more) {
          count(writer.copy(region.getAsInt()));
        }
      }
      complete = true;
    } catch (StorageException e) {
      throw new CompletionException(e);
    } finally {
      stopped |= !complete;
      running.decrementAndGet();
      device.signal();
    }
  }

  /** Wakes the leading thread, which may already wait when the limit is reached. */
  private void count(long written) {
    if (unrecorded.addAndGet(written) >= MOST_UNRECORDED) {
      device.signal();
    }
  }

  private void requireOpen() throws StorageException {
    if (device.isShut()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "the volume was closed while its first content was copied");
    }
  }

  /** Records the copied regions. Returns false when the store is unreachable. */
  private boolean records() throws StorageException {
    try {
      record();
      return true;
    } catch (StorageException e) {
      boolean away =
          switch (e.code()) {
            case UNREACHABLE, TIMEOUT, BUSY -> true;
            case NOT_FOUND,
                ALREADY_EXISTS,
                CONFLICT,
                INVALID,
                UNSUPPORTED,
                NO_SPACE,
                EXPIRED,
                FORBIDDEN,
                IO,
                INTERNAL ->
                false;
          };
      if (!away) {
        throw e;
      }
      return false;
    }
  }

  private void record() throws StorageException {
    long before = unrecorded.get();
    BitSet copied = device.copied();
    await(device.target()::flush);
    record.add(copied);
    unrecorded.addAndGet(-before);
    device.recorded(copied);
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
