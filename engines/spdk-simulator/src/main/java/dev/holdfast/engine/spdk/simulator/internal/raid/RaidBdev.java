package dev.holdfast.engine.spdk.simulator.internal.raid;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.simulator.internal.bdev.Bdev;
import dev.holdfast.engine.spdk.simulator.internal.bdev.IoType;
import dev.holdfast.engine.spdk.simulator.internal.rpc.Errno;
import dev.holdfast.engine.spdk.simulator.internal.rpc.ErrnoException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A mirror (raid1). A leg whose write fails is dropped at once, and the write succeeds on the
 * others: no decision is asked for, and no event tells of it. I/O holds the read lock; a change of
 * legs holds the write lock, so it waits for I/O that hangs on a leg.
 */
public final class RaidBdev extends Bdev {
  private static final Logger LOG = LoggerFactory.getLogger(RaidBdev.class);
  private static final String NO_UUID = new UUID(0, 0).toString();

  private final long blocks;
  private final Leg[] legs;
  private final Runnable gone;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final AtomicInteger turn = new AtomicInteger();
  private StockRebuild rebuild;

  /**
   * Creates a mirror without legs.
   *
   * @param gone called when the last leg went
   */
  RaidBdev(String name, UUID uuid, int legs, Bdev like, Runnable gone) {
    super(name, uuid, like.blockSize());
    this.blocks = like.blocks();
    this.legs = new Leg[legs];
    this.gone = gone;
  }

  @Override
  public long blocks() {
    return blocks;
  }

  @Override
  protected String product() {
    return "Raid Volume";
  }

  @Override
  protected Set<IoType> supported() {
    return EnumSet.of(IoType.READ, IoType.WRITE, IoType.UNMAP, IoType.RESET, IoType.WRITE_ZEROES);
  }

  @Override
  public boolean hasMemoryDomains() {
    return present().stream().anyMatch(leg -> leg.device().hasMemoryDomains());
  }

  private synchronized List<Leg> present() {
    return Arrays.stream(legs).filter(Objects::nonNull).toList();
  }

  /** Returns the legs whose content counts: not the target of a rebuild. */
  private synchronized List<Leg> readable() {
    return present().stream()
        .filter(leg -> rebuild == null || !rebuild.target().equals(leg))
        .toList();
  }

  /** Returns whether a device is a leg. */
  boolean has(Bdev device) {
    return present().stream().anyMatch(leg -> leg.device() == device);
  }

  // --- legs -------------------------------------------------------------------------------

  /** Claims a device and puts it into a free place. */
  Leg join(String given, Bdev device) throws ErrnoException {
    device.claim();
    Leg leg = new Leg(given, device, () -> dropped(device));
    synchronized (this) {
      int place = Arrays.asList(legs).indexOf(null);
      if (place < 0) {
        device.release();
        throw new ErrnoException(Errno.EINVAL);
      }
      legs[place] = leg;
    }
    device.onRemoval(leg.removal());
    return leg;
  }

  /** Removes a leg, after the I/O in flight. */
  void leave(Bdev device) {
    lock.writeLock().lock();
    try {
      dropped(device);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /** Removes a leg at once. */
  private void dropped(Bdev device) {
    boolean last = false;
    synchronized (this) {
      for (int i = 0; i < legs.length; i++) {
        if (legs[i] != null && legs[i].device() == device) {
          device.forget(legs[i].removal());
          device.release();
          if (rebuild != null && rebuild.target().equals(legs[i])) {
            rebuild = null;
          }
          legs[i] = null;
          last = present().isEmpty();
        }
      }
    }
    if (last) {
      gone.run();
    }
  }

  /** Lets go of all legs, after the I/O in flight. */
  void dissolve() {
    lock.writeLock().lock();
    try {
      present().forEach(leg -> dropped(leg.device()));
    } finally {
      lock.writeLock().unlock();
    }
  }

  // --- rebuild ----------------------------------------------------------------------------

  /** Begins the stock rebuild, which writes every block of the target. */
  synchronized void rebuild(Leg target, int windowBytes) {
    rebuild = new StockRebuild(target, windowBytes);
  }

  /** Copies the next window. Returns whether there is more to do. */
  boolean rebuildNext() {
    StockRebuild running;
    synchronized (this) {
      running = rebuild;
    }
    if (running == null) {
      return false;
    }
    lock.writeLock().lock();
    try {
      int bytes = (int) Math.min(running.windowBytes(), size() - running.copied());
      if (bytes > 0) {
        ByteBuffer window = ByteBuffer.allocate(bytes);
        readNow(running.copied(), window);
        running.target().device().write(running.copied(), window.flip());
        running.advance(bytes);
      }
    } catch (IOException e) {
      LOG.debug("raid {}: rebuild failed", name(), e);
      dropped(running.target().device());
      return false;
    } finally {
      lock.writeLock().unlock();
    }
    synchronized (this) {
      boolean more = rebuild == running && running.copied() < size();
      if (!more && rebuild == running) {
        rebuild = null;
      }
      return more;
    }
  }

  // --- bytes ------------------------------------------------------------------------------

  @Override
  protected void readNow(long offset, ByteBuffer target) throws IOException {
    lock.readLock().lock();
    try {
      List<Leg> from = readable();
      IOException failure = new IOException(name() + ": no leg is left");
      int start = target.position();
      for (int i = 0; i < from.size(); i++) {
        Leg leg = from.get(Math.floorMod(turn.getAndIncrement(), from.size()));
        try {
          leg.device().read(offset, target);
          return;
        } catch (IOException e) {
          failure = e;
          target.position(start);
        }
      }
      throw failure;
    } finally {
      lock.readLock().unlock();
    }
  }

  @Override
  protected void writeNow(long offset, ByteBuffer source) throws IOException {
    onAll(device -> device.write(offset, source.duplicate()));
    source.position(source.limit());
  }

  @Override
  protected void zeroNow(long offset, long length) throws IOException {
    onAll(device -> device.zero(offset, length));
  }

  /** A change of bytes of one leg. */
  private interface Change {
    void apply(Bdev device) throws IOException;
  }

  private void onAll(Change change) throws IOException {
    List<Bdev> failed = new ArrayList<>();
    IOException failure = new IOException(name() + ": no leg is left");
    int succeeded = 0;
    lock.readLock().lock();
    try {
      for (Leg leg : present()) {
        try {
          change.apply(leg.device());
          succeeded++;
        } catch (IOException e) {
          failed.add(leg.device());
          failure = e;
        }
      }
    } finally {
      lock.readLock().unlock();
    }
    failed.forEach(this::dropped);
    if (succeeded == 0) {
      throw failure;
    }
  }

  // --- description ------------------------------------------------------------------------

  @Override
  protected void describe(ObjectNode driver) {
    describeRaid(driver.putObject("raid"));
  }

  /** Returns the state as SPDK calls it. */
  synchronized String state() {
    return "online";
  }

  /** Adds the members that {@code bdev_raid_get_bdevs} has beside the name. */
  synchronized void describeRaid(ObjectNode entry) {
    int found = present().size();
    entry.put("uuid", uuid().toString()).put("strip_size_kb", 0).put("state", state());
    entry.put("raid_level", "raid1").put("superblock", false);
    entry.put("num_base_bdevs", legs.length).put("num_base_bdevs_discovered", found);
    entry.put("num_base_bdevs_operational", found);
    if (rebuild != null) {
      ObjectNode process = entry.putObject("process");
      process.put("type", "rebuild").put("target", rebuild.target().given());
      process
          .putObject("progress")
          .put("blocks", rebuild.copied() / blockSize())
          .put("percent", rebuild.copied() * 100 / size());
    }
    ArrayNode list = entry.putArray("base_bdevs_list");
    for (Leg leg : legs) {
      ObjectNode item = list.addObject();
      item.put("name", leg == null ? null : leg.given());
      item.put("uuid", leg == null ? NO_UUID : leg.device().uuid().toString());
      item.put("is_configured", leg != null).put("data_offset", 0).put("data_size", blocks);
    }
  }
}
