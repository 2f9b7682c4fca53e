package dev.holdfast.engine.lvm.internal.forward;

import com.google.protobuf.ByteString;
import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.Completion;
import dev.holdfast.block.IoFlags;
import dev.holdfast.engine.Admission;
import dev.holdfast.engine.lvm.rpc.BlockKind;
import dev.holdfast.engine.lvm.rpc.BlockReply;
import dev.holdfast.engine.lvm.rpc.BlockRequest;
import dev.holdfast.engine.lvm.rpc.Joined;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;

/**
 * The nodes that may pass requests on to volumes which this node has open. Each node has one
 * session of a volume at a time, and a request of an ended session is refused. Thread-safe.
 */
public final class AdmittedNodes {
  /** Largest read or write of one request. */
  public static final int MOST_BYTES = 1 << 20;

  private final Map<Place, Admitted> admitted = new ConcurrentHashMap<>();

  /** A late request of an earlier admission or process must find no session with its number. */
  private final AtomicLong sessions = new AtomicLong(new SecureRandom().nextLong() >>> 2);

  /** A volume, and a node that may use it. */
  private record Place(String volume, String node) {}

  /** Admits a node; see {@link dev.holdfast.engine.ForwardingEngine#admit}. */
  public Admission admit(String volume, String node, BlockDevice device) throws StorageException {
    Admitted next = new Admitted(new Place(volume, node), device);
    if (admitted.putIfAbsent(next.place, next) != null) {
      throw new StorageException(
          ErrorCode.BUSY, "volume " + volume + " admits node " + node + " already");
    }
    return next;
  }

  private Admitted require(String volume, String node) throws StorageException {
    Admitted present = admitted.get(new Place(volume, node));
    if (present == null) {
      throw forbidden(new Place(volume, node));
    }
    return present;
  }

  private static StorageException forbidden(Place place) {
    return new StorageException(
        ErrorCode.FORBIDDEN,
        "volume " + place.volume() + " does not admit node " + place.node() + " here");
  }

  /**
   * Begins a session of a node, after its earlier requests have ended.
   *
   * @throws StorageException FORBIDDEN; TIMEOUT when an earlier request has not ended in time
   */
  public Joined join(String volume, String node, Duration limit) throws StorageException {
    return require(volume, node).join(limit);
  }

  /** Makes a request of a session; see {@link RemoteVolumeLinks#submit}. */
  public void submit(
      String node, BlockRequest request, BiConsumer<BlockReply, StorageException> ended) {
    try {
      require(request.getVolume(), node).submit(request, ended);
    } catch (StorageException e) {
      ended.accept(BlockReply.getDefaultInstance(), e);
    }
  }

  /** Permission of a node to use one volume. */
  private final class Admitted implements Admission {
    private final Place place;
    private final BlockDevice device;

    // Guarded by this.
    private boolean over;
    private long session;
    private int running;

    private Admitted(Place place, BlockDevice device) {
      this.place = place;
      this.device = device;
    }

    private synchronized Joined join(Duration limit) throws StorageException {
      session = sessions.incrementAndGet();
      long mine = session;
      long end = System.nanoTime() + limit.toNanos();
      try {
        while (running > 0 && !over && session == mine) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          if (left <= 0) {
            throw new StorageException(ErrorCode.TIMEOUT, running());
          }
          wait(left);
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new StorageException(ErrorCode.TIMEOUT, running(), e);
      }
      if (over || session != mine) {
        throw forbidden(place);
      }
      return Joined.newBuilder()
          .setSession(mine)
          .setSizeBytes(device.size())
          .setBlockSize(device.blockSize())
          .build();
    }

    private synchronized String running() {
      return "volume "
          + place.volume()
          + ": "
          + running
          + " earlier requests of node "
          + place.node()
          + " have not ended: try again";
    }

    private void submit(BlockRequest request, BiConsumer<BlockReply, StorageException> ended)
        throws StorageException {
      if (request.getLength() > MOST_BYTES && isTransfer(request)) {
        throw new StorageException(
            ErrorCode.INVALID,
            "volume "
                + place.volume()
                + ": length "
                + request.getLength()
                + " B: must be at most "
                + MOST_BYTES);
      }
      begin(request);
      ByteBuffer buffer = buffer(request);
      make(
          request,
          buffer,
          failure -> {
            boolean refused = end(failure);
            StorageException outcome = refused ? forbidden(place) : failure;
            ended.accept(reply(request, buffer, outcome), outcome);
          });
    }

    private synchronized void begin(BlockRequest request) throws StorageException {
      if (over || request.getSession() != session) {
        throw forbidden(place);
      }
      running++;
    }

    /** Returns whether a failure is kept from the node, which makes the request again elsewhere. */
    private synchronized boolean end(StorageException failure) {
      running--;
      notifyAll();
      return over && failure != null;
    }

    private void make(BlockRequest request, ByteBuffer buffer, Completion done) {
      long offset = request.getOffset();
      long length = request.getLength();
      int flags = request.getFua() ? IoFlags.FUA : IoFlags.NONE;
      switch (request.getKind()) {
        case READ -> device.read(offset, buffer, done);
        case WRITE -> device.write(offset, buffer, flags, done);
        case FLUSH -> device.flush(done);
        case TRIM -> device.trim(offset, length, flags, done);
        case WRITE_ZEROES ->
            device.writeZeroes(
                offset, length, flags | (request.getNoHole() ? IoFlags.NO_HOLE : 0), done);
        case BLOCK_KIND_UNSPECIFIED, UNRECOGNIZED ->
            done.completed(
                new StorageException(
                    ErrorCode.UNSUPPORTED,
                    "volume "
                        + place.volume()
                        + ": request "
                        + request.getKindValue()
                        + " is not known: install the version of node "
                        + place.node()));
      }
    }

    @Override
    public void close() {
      boolean interrupted = false;
      synchronized (this) {
        over = true;
        notifyAll();
        while (running > 0) {
          try {
            wait();
          } catch (InterruptedException e) {
            interrupted = true; // the promise to the caller holds nevertheless
          }
        }
      }
      admitted.remove(place, this);
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private static boolean isTransfer(BlockRequest request) {
    return switch (request.getKind()) {
      case READ, WRITE -> true;
      case FLUSH, TRIM, WRITE_ZEROES, BLOCK_KIND_UNSPECIFIED, UNRECOGNIZED -> false;
    };
  }

  private static ByteBuffer buffer(BlockRequest request) {
    if (!isTransfer(request)) {
      return ByteBuffer.allocate(0);
    }
    ByteBuffer buffer = ByteBuffer.allocateDirect((int) request.getLength());
    if (!request.getContent().isEmpty()) {
      buffer.put(request.getContent().asReadOnlyByteBuffer()).flip();
    }
    return buffer;
  }

  private static BlockReply reply(
      BlockRequest request, ByteBuffer buffer, StorageException failure) {
    boolean bytes = failure == null && request.getKind() == BlockKind.READ;
    return bytes
        ? BlockReply.newBuilder().setContent(ByteString.copyFrom(buffer.flip())).build()
        : BlockReply.getDefaultInstance();
  }
}
