package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.block.Completion;
import dev.holdfast.block.ForwardingBlockDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.AccessState;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import dev.holdfast.portal.SocketPortal;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.function.Function;

/**
 * Outside of the virtual machine: a volume on two paths, whose access moves from one to the other
 * as long as the guest writes. The guest ends when it reads the last block with the end's mark.
 */
final class MovingPaths implements AutoCloseable {
  static final int BYTES = 16 << 20;
  static final int BLOCK = 4096;
  static final byte END = 0x5a;

  static final int MOVES =
      Integer.getInteger("holdfast.path.moves", Boolean.getBoolean("holdfast.soak") ? 100 : 5);
  private static final int WRITES_BETWEEN = 20;

  private final MemoryBlockDevice bytes = new MemoryBlockDevice(BYTES);
  private final Counted[] devices = {new Counted(), new Counted()};
  private final SocketPortal[] portals = new SocketPortal[2];
  private final PublishedExport[] exports = new PublishedExport[2];
  private final Thread mover = new Thread(this::move, "mover");
  // Guarded by this.
  private int moves;
  private boolean closed;

  /** The volume by one path; it counts the writes. */
  private final class Counted extends ForwardingBlockDevice {
    // Guarded by the paths.
    private int writes;

    Counted() {
      super(bytes);
    }

    @Override
    public void write(long position, ByteBuffer data, int flags, Completion completion) {
      super.write(position, data, flags, completion);
      synchronized (MovingPaths.this) {
        writes++;
        MovingPaths.this.notifyAll();
      }
    }
  }

  /** Keeps nothing. */
  private static final class NoTexts implements ExportStateStore {
    @Override
    public Map<String, String> load() {
      return Map.of();
    }

    @Override
    public void save(Map<String, String> texts) {
      // The paths of this volume end with the test.
    }
  }

  MovingPaths(FrontendProvider frontend, Function<FrontendProvider, SocketPortal> portal)
      throws StorageException {
    for (int i = 0; i < 2; i++) {
      portals[i] = portal.apply(frontend);
      AccessState access = i == 0 ? AccessState.OPTIMIZED : AccessState.STANDBY;
      exports[i] =
          portals[i].publish(
              frontend.name(), "paths", devices[i], new NoTexts(), ExportPath.of(i, access));
    }
    mover.start();
  }

  /** Returns the endpoints of both paths. */
  String endpoints() {
    return exports[0].endpoint() + " " + exports[1].endpoint();
  }

  private void move() {
    try {
      for (int serving = 0; awaitWrites(devices[serving]); serving = 1 - serving) {
        exports[serving].access(AccessState.STANDBY);
        exports[1 - serving].access(AccessState.OPTIMIZED);
        moved();
      }
    } catch (StorageException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  // The guest may need the path that serves now, so the last move stays.
  private synchronized boolean awaitWrites(Counted device) throws InterruptedException {
    int enough = device.writes + WRITES_BETWEEN;
    while (device.writes < enough && !closed) {
      wait();
    }
    return !closed && moves < MOVES;
  }

  private void moved() throws StorageException {
    synchronized (this) {
      moves++;
      if (moves < MOVES) {
        return;
      }
    }
    ByteBuffer end = ByteBuffer.allocate(BLOCK);
    while (end.hasRemaining()) {
      end.put(END);
    }
    bytes.write(BYTES - BLOCK, end.flip(), 0, failure -> {});
  }

  /** Returns how often the access moved so far. */
  synchronized int moves() {
    return moves;
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
    }
    mover.interrupt();
    for (SocketPortal portal : portals) {
      portal.close();
    }
  }
}
