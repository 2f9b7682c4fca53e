package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.PublishedExport;
import java.net.URI;

/** One generation of an export. Thread-safe. */
abstract class RunningExport implements PoolExport {
  private final long generation;
  private final PublishedExport published;
  private final AlignedDevice device;
  private final ExportLocks.Held lock;
  private final PoolAddress address;
  private boolean closed;

  RunningExport(
      String node,
      long generation,
      PublishedExport published,
      AlignedDevice device,
      ExportLocks.Held lock) {
    URI endpoint = published.endpoint();
    this.generation = generation;
    this.published = published;
    this.device = device;
    this.lock = lock;
    this.address = new PoolAddress(node, endpoint.getHost(), endpoint.getPort(), generation);
  }

  /** Is called once, when the export was withdrawn. */
  abstract void ended();

  long generation() {
    return generation;
  }

  AlignedDevice device() {
    return device;
  }

  @Override
  public PoolAddress address() {
    return address;
  }

  /** Closing the device waits for requests of a session for which the portal stopped waiting. */
  @Override
  public void close() throws StorageException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      published.close();
      device.close();
      lock.close();
    }
    ended();
  }
}
