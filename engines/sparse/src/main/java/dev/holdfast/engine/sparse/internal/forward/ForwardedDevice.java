package dev.holdfast.engine.sparse.internal.forward;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.sparse.internal.replica.MemberClock;
import dev.holdfast.engine.sparse.internal.wire.LinkData;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A volume that another node has open, as a device of this node. Keeps every request until its
 * reply. Requests that the other node can no longer answer wait, and are sent again.
 *
 * <pre>
 *   LINKED --link lost, or no longer let in--> LINKING --joined again, all sent again--> LINKED
 *      '----------------- redirected -----------' : all later requests use another device
 * </pre>
 */
public final class ForwardedDevice implements BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardedDevice.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  /**
   * The services that the device uses.
   *
   * @param links links to the other node
   * @param executor runs work that may block
   * @param clock runs retries
   */
  public record Surroundings(VolumeLinks links, Executor executor, MemberClock clock) {}

  private final ForwardRequest request;
  private final Surroundings around;
  private final int blockSize;
  private volatile long size;

  // Guarded by this.
  private final Set<PendingForward> kept = new LinkedHashSet<>();
  private LinkData link;
  private BlockDevice redirected;
  private StorageException ended;

  private ForwardedDevice(ForwardRequest request, Surroundings around, VolumeLinks.Joined first) {
    this.request = request;
    this.around = around;
    this.blockSize = first.blockSize();
    this.size = first.size();
    this.link = first.data();
  }

  /**
   * Joins the volume.
   *
   * @throws StorageException as {@link VolumeLinks#join}
   */
  public static ForwardedDevice join(ForwardRequest request, Surroundings around)
      throws StorageException {
    Watch watch = new Watch();
    VolumeLinks.Joined first =
        around.links().join(request.volume(), request.toNode(), request.timeout(), watch);
    ForwardedDevice device = new ForwardedDevice(request, around, first);
    watch.adopted(device, first.data());
    return device;
  }

  /**
   * Reports a lost link to the device, also when the link is lost before the device has received
   * it.
   */
  private static final class Watch implements Consumer<StorageException> {
    private ForwardedDevice device;
    private LinkData link;
    private StorageException cause;

    @Override
    public void accept(StorageException why) {
      synchronized (this) {
        cause = why;
        if (device == null) {
          return;
        }
      }
      device.lost(link, why);
    }

    void adopted(ForwardedDevice by, LinkData watched) {
      StorageException early;
      synchronized (this) {
        device = by;
        link = watched;
        early = cause;
      }
      if (early != null) {
        by.lost(watched, early);
      }
    }
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size, completion)) {
      send(PendingForward.bytes(this, PendingForward.Kind.READ, offset, target, 0, completion));
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (BlockRanges.inside(offset, source.remaining(), size, completion)) {
      send(
          PendingForward.bytes(this, PendingForward.Kind.WRITE, offset, source, flags, completion));
    }
  }

  @Override
  public void flush(Completion completion) {
    send(PendingForward.range(this, PendingForward.Kind.FLUSH, 0, 0, 0, completion));
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      send(PendingForward.range(this, PendingForward.Kind.TRIM, offset, length, flags, completion));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      send(PendingForward.range(this, PendingForward.Kind.ZERO, offset, length, flags, completion));
    }
  }

  /** Not forwarded, because a copy of the volume reads it on the other node. */
  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    StorageException failure;
    BlockDevice other;
    synchronized (this) {
      failure = ended;
      other = redirected;
    }
    if (other != null) {
      other.extents(offset, length, visitor, completion);
      return;
    }
    if (failure == null && length > 0) {
      boolean unused = visitor.extent(offset, length, ExtentKind.DATA);
    }
    completion.completed(failure);
  }

  // If a request is sent again by the new link before this thread passes it to the old link, the
  // old link is lost and ignores it.
  private void send(PendingForward kind) {
    StorageException failure;
    BlockDevice other;
    LinkData now;
    synchronized (this) {
      failure = ended;
      other = redirected;
      now = link;
      if (failure == null && other == null) {
        kept.add(kind);
      }
    }
    if (failure != null) {
      kind.end(failure);
    } else if (other != null) {
      kind.sendTo(other);
    } else if (now != null) {
      kind.sendOver(now);
      now.endOfBatch();
    }
  }

  /**
   * Makes the written bytes of a request durable. Without a link the whole request is sent again.
   */
  void sync(PendingForward made) {
    LinkData now;
    synchronized (this) {
      now = link;
    }
    if (now != null) {
      now.sync(made);
      now.endOfBatch();
    }
  }

  /** Handles an answer of a link. A refusal to admit this node is not an answer to the request. */
  void answered(PendingForward made, StorageException failure) {
    if (failure != null && failure.code() == ErrorCode.FORBIDDEN) {
      LinkData now;
      synchronized (this) {
        now = link;
      }
      if (now != null) {
        lost(now, failure);
      }
      return;
    }
    boolean ours;
    synchronized (this) {
      ours = kept.remove(made);
    }
    if (ours) {
      made.end(failure);
    }
  }

  private void lost(LinkData which, StorageException cause) {
    synchronized (this) {
      if (ended != null || redirected != null || link != which) {
        return;
      }
      link = null;
    }
    LOG.info(
        "volume {}: node {} is lost, requests wait: {}",
        request.volume(),
        request.toNode(),
        cause.getMessage());
    around
        .executor()
        .execute(
            () -> {
              which.close();
              joinAgain();
            });
  }

  private synchronized boolean isOver() {
    return ended != null || redirected != null;
  }

  private void joinAgain() {
    if (isOver()) {
      return;
    }
    Watch watch = new Watch();
    try {
      VolumeLinks.Joined next =
          around.links().join(request.volume(), request.toNode(), request.timeout(), watch);
      if (adopt(next)) {
        watch.adopted(this, next.data());
      } else {
        next.data().close();
      }
    } catch (StorageException e) {
      LOG.debug("volume {}: not joined yet: {}", request.volume(), e.getMessage());
      around.clock().later(PAUSE, this::joinAgain);
    }
  }

  private boolean adopt(VolumeLinks.Joined next) {
    List<PendingForward> again;
    synchronized (this) {
      if (ended != null || redirected != null) {
        return false;
      }
      grown(next.size());
      link = next.data();
      again = List.copyOf(kept);
    }
    LOG.info(
        "volume {}: joined on node {} again, {} requests are sent again",
        request.volume(),
        request.toNode(),
        again.size());
    again.forEach(each -> each.sendOver(next.data()));
    next.data().endOfBatch();
    return true;
  }

  /** Records the volume's size on the other node, which never makes it smaller. */
  synchronized void grown(long sizeBytes) {
    size = Math.max(size, sizeBytes);
  }

  /** Sends unanswered and all later requests to another device. */
  public void redirect(BlockDevice to) {
    List<PendingForward> again = unlink(to, null);
    LOG.info("volume {}: {} requests are sent again here", request.volume(), again.size());
    again.forEach(each -> each.sendTo(to));
  }

  private List<PendingForward> unlink(BlockDevice to, StorageException end) {
    LinkData last;
    synchronized (this) {
      if (isOver()) {
        return List.of();
      }
      redirected = to;
      ended = end;
      last = link;
      link = null;
    }
    if (last != null) {
      last.close();
    }
    synchronized (this) {
      List<PendingForward> unanswered = List.copyOf(kept);
      kept.clear();
      return unanswered;
    }
  }

  @Override
  public void close() {
    StorageException end =
        new StorageException(
            ErrorCode.IO, "volume " + request.volume() + " is not served on this node any more");
    unlink(null, end).forEach(each -> each.end(end));
  }
}
