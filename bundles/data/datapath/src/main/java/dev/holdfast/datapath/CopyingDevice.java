package dev.holdfast.datapath;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A volume that hosts use while its first content is still being copied, region by region.
 *
 * <pre>
 *              content is below, durably          that is recorded where every later opening sees it
 *   MISSING ------------------------------> COPIED ------------------------------> RECORDED
 *   requests wait                           reads go on                            changes go on
 * </pre>
 *
 * <p>A change waits for the record because after a crash an unrecorded region is copied again, over
 * data written since. Regions with waiting requests are copied first. The thread that took a region
 * copies it, so several threads copy concurrently; requests may come from any thread. A region
 * whose content is damaged at its source fails its requests until the damage is forgotten. After
 * the copy is recorded completely, a request costs one additional volatile read.
 */
public final class CopyingDevice extends ForwardingBlockDevice {
  private final String volume;
  private final RegionCopyPlan plan;
  // The fields below are guarded by this.
  private final BitSet copied;
  private final BitSet recorded;

  /** Regions that cannot be taken: copied, taken or damaged ones. */
  private final BitSet claimed;

  private final TreeMap<Integer, StorageException> damaged = new TreeMap<>();
  private final List<Waiting> waiting = new ArrayList<>();
  private boolean shut;
  private long changes;
  private volatile boolean whole;

  /** A request that needs regions; {@code last} is inclusive. */
  private record Waiting(int first, int last, boolean change, Runnable issue, Completion end) {}

  /** Creates a device above another one, into which the content is copied as planned. */
  public CopyingDevice(String volume, BlockDevice below, RegionCopyPlan plan) {
    super(below);
    this.volume = volume;
    this.plan = plan;
    this.copied = (BitSet) plan.copied().clone();
    this.recorded = (BitSet) plan.copied().clone();
    this.claimed = (BitSet) plan.copied().clone();
    this.whole = isComplete(recorded);
  }

  private boolean isComplete(BitSet regions) {
    return regions.nextClearBit(0) >= plan.regions();
  }

  /** Returns the regions of the content, and those copied before this opening. */
  public RegionCopyPlan plan() {
    return plan;
  }

  /** Returns the device that receives the content. */
  public BlockDevice target() {
    return below();
  }

  /** Returns whether all regions are recorded as copied. */
  public boolean isWhole() {
    return whole;
  }

  /** Returns whether requests wait for their regions. */
  public synchronized boolean hasWaiting() {
    return !waiting.isEmpty();
  }

  /**
   * Takes the region to copy next, first one that a request waits for.
   *
   * @return the region, which the caller copies or gives back; empty when none remains
   */
  public synchronized OptionalInt take() {
    OptionalInt awaited = takeAwaited();
    if (awaited.isPresent()) {
      return awaited;
    }
    int missing = claimed.nextClearBit(0);
    return missing < plan.regions() ? claim(missing) : OptionalInt.empty();
  }

  /**
   * Takes a region that a request waits for and that no thread copies.
   *
   * @return the region, which the caller copies or gives back; empty for none
   */
  public synchronized OptionalInt takeAwaited() {
    for (Waiting request : waiting) {
      int missing = claimed.nextClearBit(request.first());
      if (missing <= request.last()) {
        return claim(missing);
      }
    }
    return OptionalInt.empty();
  }

  private OptionalInt claim(int region) {
    claimed.set(region);
    return OptionalInt.of(region);
  }

  /** Gives a taken region back without copying it: any thread may take it. */
  public synchronized void giveBack(int region) {
    claimed.clear(region);
    signal();
  }

  /**
   * Marks a taken region as damaged at the source. Requests for it fail until {@link
   * #forgetDamage}.
   *
   * @param region that was taken
   * @param why passed to these requests, not null
   */
  public void damaged(int region, StorageException why) {
    List<Waiting> ended = new ArrayList<>();
    synchronized (this) {
      damaged.put(region, why);
      waiting.removeIf(r -> r.first() <= region && region <= r.last() && ended.add(r));
      signal();
    }
    ended.forEach(request -> request.end().completed(why));
  }

  /** Returns the failure of the first damaged region; empty for none. */
  public synchronized Optional<StorageException> damage() {
    return damaged.isEmpty() ? Optional.empty() : Optional.of(damaged.firstEntry().getValue());
  }

  /** Lets damaged regions be taken again. */
  public synchronized void forgetDamage() {
    damaged.keySet().forEach(claimed::clear);
    damaged.clear();
    signal();
  }

  /** Returns a number that changes with each event for which {@link #awaitChange} waits. */
  public synchronized long changes() {
    return changes;
  }

  /**
   * Waits until a request waits for its content, a region changes its state, or the device is shut.
   *
   * @param seen the number of changes that the caller has seen
   * @param most maximum time to wait
   * @throws StorageException TIMEOUT when the thread is interrupted
   */
  public synchronized void awaitChange(long seen, Duration most) throws StorageException {
    long end = System.nanoTime() + most.toNanos();
    try {
      long left = most.toNanos();
      while (changes == seen && !shut && left > 0) {
        TimeUnit.NANOSECONDS.timedWait(this, left);
        left = end - System.nanoTime();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "volume " + volume + ": its copy was interrupted", e);
    }
  }

  /** Wakes threads that wait for a change. */
  public synchronized void signal() {
    changes++;
    notifyAll();
  }

  /** Returns whether requests are refused, because the volume is being closed. */
  public synchronized boolean isShut() {
    return shut;
  }

  /** Returns whether a change waits only for the record. */
  public synchronized boolean awaitsRecord() {
    return waiting.stream().anyMatch(r -> r.change() && holds(copied, r.first(), r.last()));
  }

  /** Returns the copied regions. */
  public synchronized BitSet copied() {
    return (BitSet) copied.clone();
  }

  /**
   * Reports that a region was copied into the device below. No change of it was admitted before.
   */
  public void copied(int region) {
    synchronized (this) {
      copied.set(region);
      claimed.set(region);
      signal();
    }
    release();
  }

  /** Reports that these regions are durable below and recorded. */
  public void recorded(BitSet regions) {
    synchronized (this) {
      recorded.or(regions);
      copied.or(regions);
      claimed.or(regions);
      whole = isComplete(recorded);
      signal();
    }
    release();
  }

  /** Fails waiting requests, because the content is unavailable. */
  public void fail(StorageException why) {
    List<Waiting> ended;
    synchronized (this) {
      ended = List.copyOf(waiting);
      waiting.clear();
    }
    ended.forEach(request -> request.end().completed(why));
  }

  /** Fails waiting requests and all later requests that would have to wait. */
  public void shut() {
    synchronized (this) {
      shut = true;
      signal();
    }
    fail(refusal());
  }

  private StorageException refusal() {
    return new StorageException(ErrorCode.IO, "volume " + volume + " is closed");
  }

  private void release() {
    List<Waiting> ready = new ArrayList<>();
    synchronized (this) {
      for (Iterator<Waiting> each = waiting.iterator(); each.hasNext(); ) {
        Waiting request = each.next();
        if (isReady(request)) {
          ready.add(request);
          each.remove();
        }
      }
    }
    ready.forEach(request -> request.issue().run());
  }

  private boolean isReady(Waiting request) {
    return holds(request.change() ? recorded : copied, request.first(), request.last());
  }

  private static boolean holds(BitSet regions, int first, int last) {
    return regions.nextClearBit(first) > last;
  }

  /** Issues a request as soon as the regions that it needs are copied. */
  private void submit(
      long offset, long length, boolean change, Runnable issue, Completion completion) {
    boolean passes =
        length <= 0
            || offset < 0
            || offset >= plan.size()
            || length > size() - offset; // the device below refuses it
    if (passes) {
      issue.run();
      return;
    }
    Waiting request =
        new Waiting(
            plan.regionOf(offset),
            plan.regionOf(Math.min(offset + length, plan.size()) - 1),
            change,
            issue,
            completion);
    Optional<StorageException> refused;
    synchronized (this) {
      boolean ready = isReady(request);
      refused = ready ? Optional.empty() : refusal(request);
      if (!ready && refused.isEmpty()) {
        waiting.add(request);
        signal();
        return;
      }
    }
    if (refused.isPresent()) {
      completion.completed(refused.get());
    } else {
      issue.run();
    }
  }

  /**
   * Returns the failure of a request that must not wait for its content; empty when it may wait.
   */
  private Optional<StorageException> refusal(Waiting request) {
    if (shut) {
      return Optional.of(refusal());
    }
    return damaged.subMap(request.first(), true, request.last(), true).values().stream()
        .findFirst();
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (whole) {
      below().read(offset, target, completion);
      return;
    }
    submit(
        offset,
        target.remaining(),
        false,
        () -> below().read(offset, target, completion),
        completion);
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (whole) {
      below().write(offset, source, flags, completion);
      return;
    }
    submit(
        offset,
        source.remaining(),
        true,
        () -> below().write(offset, source, flags, completion),
        completion);
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (whole) {
      below().trim(offset, length, flags, completion);
      return;
    }
    submit(offset, length, true, () -> below().trim(offset, length, flags, completion), completion);
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (whole) {
      below().writeZeroes(offset, length, flags, completion);
      return;
    }
    submit(
        offset,
        length,
        true,
        () -> below().writeZeroes(offset, length, flags, completion),
        completion);
  }

  /** Reports holes as data until their region is copied. */
  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (whole) {
      below().extents(offset, length, visitor, completion);
    } else if (BlockRanges.inside(offset, length, size(), completion)) {
      boolean unused = length == 0 || visitor.extent(offset, length, ExtentKind.DATA);
      completion.completed(null);
    }
  }

  @Override
  public void close() {
    shut();
    super.close();
  }
}
