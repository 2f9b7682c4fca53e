package dev.holdfast.engine.spdk.simulator.internal.bdev;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A block device of the target. At most one module claims it for writing. Thread-safe; I/O blocks
 * its caller.
 */
public abstract class Bdev {
  private final String name;
  private final UUID uuid;
  private final int blockSize;
  private final IoCounters counters = new IoCounters();
  private final RateLimits limits = new RateLimits();
  private final List<Runnable> watchers = new CopyOnWriteArrayList<>();
  private boolean writer;
  private int readers;

  /** Creates a device that is not registered yet. */
  protected Bdev(String name, UUID uuid, int blockSize) {
    this.name = name;
    this.uuid = uuid;
    this.blockSize = blockSize;
  }

  public final String name() {
    return name;
  }

  public final UUID uuid() {
    return uuid;
  }

  public final int blockSize() {
    return blockSize;
  }

  /** Returns the size in bytes. */
  public final long size() {
    return blocks() * blockSize;
  }

  public final RateLimits limits() {
    return limits;
  }

  /** Returns the size in blocks. */
  public abstract long blocks();

  /** Returns the other names by which it is found. */
  public List<String> aliases() {
    return List.of(uuid.toString());
  }

  /** Returns what SPDK calls this kind of device. */
  protected abstract String product();

  /** Returns the kinds of I/O that it takes now. */
  protected abstract Set<IoType> supported();

  /** Returns whether its description names memory domains, as devices over NVMe do. */
  public boolean hasMemoryDomains() {
    return false;
  }

  /** Adds what only this kind of device tells. */
  protected abstract void describe(ObjectNode driver);

  protected abstract void readNow(long offset, ByteBuffer target) throws IOException;

  protected abstract void writeNow(long offset, ByteBuffer source) throws IOException;

  protected abstract void zeroNow(long offset, long length) throws IOException;

  /** Reads all remaining bytes of the buffer. */
  public final void read(long offset, ByteBuffer target) throws IOException {
    requireRange(offset, target.remaining());
    counters.read(target.remaining());
    readNow(offset, target);
  }

  /** Writes all remaining bytes of the buffer. */
  public final void write(long offset, ByteBuffer source) throws IOException {
    requireRange(offset, source.remaining());
    counters.written(source.remaining());
    writeNow(offset, source);
  }

  /** Makes a range read as zeroes. */
  public final void zero(long offset, long length) throws IOException {
    requireRange(offset, length);
    zeroNow(offset, length);
  }

  private void requireRange(long offset, long length) throws IOException {
    if (offset < 0 || length < 0 || length > size() - offset) {
      throw new IOException(name + ": " + offset + "+" + length + " is outside of the device");
    }
  }

  /** Claims the device for the only writer beside its own opener. */
  public final synchronized void claim() throws ErrnoException {
    if (writer || readers > 0) {
      throw new ErrnoException(Errno.EPERM);
    }
    writer = true;
  }

  /** Ends the claim of the writer. */
  public final synchronized void release() {
    writer = false;
  }

  /** Claims the device so that it can only be read, beside others that do the same. */
  public final synchronized void claimReading() throws ErrnoException {
    if (writer) {
      throw new ErrnoException(Errno.EPERM);
    }
    readers++;
  }

  /** Ends a claim of {@link #claimReading}. */
  public final synchronized void releaseReading() {
    readers--;
  }

  /** Returns whether a module claims the device. */
  public final synchronized boolean isUsed() {
    return writer || readers > 0;
  }

  private synchronized void describeClaim(ObjectNode entry) {
    entry.put("claimed", writer || readers > 0);
    if (writer || readers > 0) {
      entry.put("claim_type", writer ? "exclusive_write" : "read_many_write_none");
    }
  }

  /** Calls back when the device is removed. */
  public final void onRemoval(Runnable watcher) {
    watchers.add(watcher);
  }

  /** Ends {@link #onRemoval}. */
  public final void forget(Runnable watcher) {
    watchers.remove(watcher);
  }

  /** Tells the users that the device fails every I/O from now on, though it stays registered. */
  public final void fail() {
    removed();
  }

  final void removed() {
    watchers.forEach(Runnable::run);
  }

  /** Releases what the device holds. */
  protected void close() throws IOException {}

  /** Returns the entry of {@code bdev_get_iostat}. */
  public final ObjectNode statistics() {
    ObjectNode entry = JsonNodeFactory.instance.objectNode().put("name", name);
    counters.describe(entry);
    describeStatistics(entry);
    return entry;
  }

  /** Adds members that only this kind of device has in its statistics. */
  protected void describeStatistics(ObjectNode entry) {}

  public final void resetStatistics() {
    counters.reset();
  }

  /** Returns the entry of {@code bdev_get_bdevs}. */
  public final ObjectNode description() {
    ObjectNode entry = JsonNodeFactory.instance.objectNode().put("name", name);
    aliases().forEach(entry.putArray("aliases")::add);
    entry.put("product_name", product()).put("block_size", blockSize).put("num_blocks", blocks());
    describeAlignment(entry);
    entry.put("uuid", uuid.toString());
    limits.describe(entry.putObject("assigned_rate_limits"));
    describeClaim(entry);
    entry.put("zoned", false);
    ObjectNode types = entry.putObject("supported_io_types");
    Set<IoType> supported = supported();
    for (IoType type : IoType.values()) {
      types.put(type.label(), supported.contains(type));
    }
    if (hasMemoryDomains()) {
      entry.putArray("memory_domains").addObject().put("dma_device_type", "DMA");
    }
    describe(entry.putObject("driver_specific"));
    return entry;
  }

  /** Adds preferences of alignment. */
  protected void describeAlignment(ObjectNode entry) {
    entry.put("preferred_write_alignment", 0).put("preferred_write_granularity", 0);
    entry.put("optimal_write_size", 0);
    entry.put("preferred_unmap_alignment", 0).put("preferred_unmap_granularity", 0);
  }
}
