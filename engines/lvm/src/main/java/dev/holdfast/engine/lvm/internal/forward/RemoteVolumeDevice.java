package dev.holdfast.engine.lvm.internal.forward;

import com.google.protobuf.ByteString;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.BlockRanges;
import dev.holdfast.block.Completion;
import dev.holdfast.block.ExtentKind;
import dev.holdfast.block.ExtentVisitor;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.ForwardRequest;
import dev.holdfast.engine.lvm.rpc.BlockKind;
import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A volume that another node has open, as a device of this one. Keeps each request until its
 * answer. While that node does not answer, or does not admit this one, requests wait, and are made
 * again in the next session. Only answers of the present session count: a request that was made
 * again could otherwise overwrite a later one. Thread-safe.
 */
public final class RemoteVolumeDevice implements BlockDevice {
  private static final Logger LOG = LoggerFactory.getLogger(RemoteVolumeDevice.class);
  private static final Duration PAUSE = Duration.ofMillis(100);

  private final ForwardRequest request;
  private final RemoteVolumeLinks links;
  private final ScheduledExecutorService executor;
  private final int blockSize;
  private volatile long size;

  // Guarded by this.
  private final Set<PendingRequest> kept = new LinkedHashSet<>();
  private Optional<Joined> session;
  private Optional<BlockDevice> redirected = Optional.empty();
  private Optional<StorageException> ended = Optional.empty();

  private RemoteVolumeDevice(
      ForwardRequest request,
      RemoteVolumeLinks links,
      ScheduledExecutorService executor,
      Joined first) {
    this.request = request;
    this.links = links;
    this.executor = executor;
    this.blockSize = first.getBlockSize();
    this.size = first.getSizeBytes();
    this.session = Optional.of(first);
  }

  /**
   * Joins the volume.
   *
   * @param executor on which sessions begin again, which block
   * @throws StorageException as {@link RemoteVolumeLinks#join}
   */
  public static RemoteVolumeDevice join(
      ForwardRequest request, RemoteVolumeLinks links, ScheduledExecutorService executor)
      throws StorageException {
    Joined first = links.join(request.toNode(), request.volume(), request.timeout());
    return new RemoteVolumeDevice(request, links, executor, first);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public int blockSize() {
    return blockSize;
  }

  private BlockRequest.Builder range(BlockKind kind, long offset, long length, int flags) {
    return BlockRequest.newBuilder()
        .setVolume(request.volume())
        .setKind(kind)
        .setOffset(offset)
        .setLength(length)
        .setFua((flags & IoFlags.FUA) != 0)
        .setNoHole((flags & IoFlags.NO_HOLE) != 0);
  }

  @Override
  public void read(long offset, ByteBuffer target, Completion completion) {
    if (BlockRanges.inside(offset, target.remaining(), size, completion)) {
      transfer(BlockKind.READ, offset, target, IoFlags.NONE, completion);
    }
  }

  @Override
  public void write(long offset, ByteBuffer source, int flags, Completion completion) {
    if (BlockRanges.inside(offset, source.remaining(), size, completion)) {
      transfer(BlockKind.WRITE, offset, source, flags, completion);
    }
  }

  /** Sends a long transfer in pieces; the buffer is at its limit when all have ended. */
  private void transfer(
      BlockKind kind, long offset, ByteBuffer buffer, int flags, Completion completion) {
    int start = buffer.position();
    int length = buffer.remaining();
    int pieces = Math.max(1, (length + AdmittedNodes.MOST_BYTES - 1) / AdmittedNodes.MOST_BYTES);
    PieceCount count =
        new PieceCount(
            pieces,
            failure -> {
              buffer.position(start + length);
              completion.completed(failure);
            });
    for (int n = 0; n < pieces; n++) {
      int from = n * AdmittedNodes.MOST_BYTES;
      int bytes = Math.min(AdmittedNodes.MOST_BYTES, length - from);
      ByteBuffer piece = buffer.duplicate().limit(start + from + bytes).position(start + from);
      BlockRequest.Builder message = range(kind, offset + from, bytes, flags);
      if (kind == BlockKind.WRITE) {
        message.setContent(ByteString.copyFrom(piece.duplicate()));
      }
      send(new PendingRequest(message.build(), piece, count));
    }
  }

  @Override
  public void flush(Completion completion) {
    send(PendingRequest.of(range(BlockKind.FLUSH, 0, 0, IoFlags.NONE).build(), completion));
  }

  @Override
  public void trim(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      send(PendingRequest.of(range(BlockKind.TRIM, offset, length, flags).build(), completion));
    }
  }

  @Override
  public void writeZeroes(long offset, long length, int flags, Completion completion) {
    if (BlockRanges.inside(offset, length, size, completion)) {
      send(
          PendingRequest.of(
              range(BlockKind.WRITE_ZEROES, offset, length, flags).build(), completion));
    }
  }

  /** Not forwarded, because a copy of the volume reads it on the node that has it open. */
  @Override
  public void extents(long offset, long length, ExtentVisitor visitor, Completion completion) {
    if (!BlockRanges.inside(offset, length, size, completion)) {
      return;
    }
    Optional<StorageException> failure;
    Optional<BlockDevice> other;
    synchronized (this) {
      failure = ended;
      other = redirected;
    }
    if (other.isPresent()) {
      other.get().extents(offset, length, visitor, completion);
      return;
    }
    if (failure.isEmpty() && length > 0) {
      boolean unused = visitor.extent(offset, length, ExtentKind.DATA);
    }
    completion.completed(failure.orElse(null));
  }

  private void send(PendingRequest pending) {
    Optional<StorageException> failure;
    Optional<BlockDevice> other;
    Optional<Joined> now;
    synchronized (this) {
      failure = ended;
      other = redirected;
      now = session;
      if (failure.isEmpty() && other.isEmpty()) {
        kept.add(pending);
      }
    }
    if (failure.isPresent()) {
      pending.completion().completed(failure.get());
    } else if (other.isPresent()) {
      pending.sendTo(other.get());
    } else if (now.isPresent()) {
      submit(pending, now.get());
    }
  }

  private void submit(PendingRequest pending, Joined in) {
    BlockRequest message = pending.message().toBuilder().setSession(in.getSession()).build();
    links.submit(
        request.toNode(),
        message,
        request.timeout(),
        (reply, failure) -> answered(pending, in, reply, failure));
  }

  private void answered(
      PendingRequest pending, Joined in, BlockReply reply, StorageException failure) {
    if (failure != null && isOfSession(failure.code())) {
      lost(in, failure);
      return;
    }
    boolean waited;
    synchronized (this) {
      waited = isPresent(in) && kept.remove(pending);
    }
    if (waited) {
      pending.end(reply, failure);
    }
  }

  private synchronized boolean isPresent(Joined in) {
    return session.filter(now -> now.getSession() == in.getSession()).isPresent();
  }

  private static boolean isOfSession(ErrorCode code) {
    return code == ErrorCode.FORBIDDEN
        || code == ErrorCode.UNREACHABLE
        || code == ErrorCode.TIMEOUT;
  }

  private void lost(Joined in, StorageException cause) {
    synchronized (this) {
      if (isOver() || !isPresent(in)) {
        return;
      }
      session = Optional.empty();
    }
    LOG.info(
        "volume {}: node {} does not answer, requests wait: {}",
        request.volume(),
        request.toNode(),
        cause.getMessage());
    executor.execute(this::joinAgain);
  }

  private synchronized boolean isOver() {
    return ended.isPresent() || redirected.isPresent();
  }

  private void joinAgain() {
    if (isOver()) {
      return;
    }
    try {
      adopt(links.join(request.toNode(), request.volume(), request.timeout()));
    } catch (StorageException e) {
      LOG.debug("volume {}: not joined yet: {}", request.volume(), e.getMessage());
      var unused = executor.schedule(this::joinAgain, PAUSE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  private void adopt(Joined next) {
    List<PendingRequest> again;
    synchronized (this) {
      if (isOver()) {
        return;
      }
      grown(next.getSizeBytes());
      session = Optional.of(next);
      again = List.copyOf(kept);
    }
    LOG.info(
        "volume {}: node {} answers again, repeating {} requests",
        request.volume(),
        request.toNode(),
        again.size());
    again.forEach(pending -> submit(pending, next));
  }

  /** Lets the device have the size that the volume has on the other node. */
  synchronized void grown(long sizeBytes) {
    size = Math.max(size, sizeBytes);
  }

  /** Sends what is unanswered, and all that comes, to another device. */
  void redirect(BlockDevice to) {
    over(Optional.of(to), Optional.empty()).forEach(pending -> pending.sendTo(to));
  }

  private synchronized List<PendingRequest> over(
      Optional<BlockDevice> to, Optional<StorageException> end) {
    if (isOver()) {
      return List.of();
    }
    redirected = to;
    ended = end;
    session = Optional.empty();
    List<PendingRequest> unanswered = List.copyOf(kept);
    kept.clear();
    return unanswered;
  }

  @Override
  public void close() {
    StorageException end =
        new StorageException(
            ErrorCode.IO, "volume " + request.volume() + " is not served on this node any more");
    over(Optional.empty(), Optional.of(end))
        .forEach(pending -> pending.completion().completed(end));
  }
}
