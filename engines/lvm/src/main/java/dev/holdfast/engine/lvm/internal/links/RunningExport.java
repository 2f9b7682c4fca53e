package dev.holdfast.engine.lvm.internal.links;

import dev.holdfast.engine.lvm.blobs.links.PoolAddress;
import dev.holdfast.engine.lvm.blobs.links.PoolExport;
import dev.holdfast.engine.lvm.internal.device.AlignedDevice;
import dev.holdfast.engine.lvm.internal.device.RawDevice;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.net.URI;
import java.util.Optional;

/**
 * One generation of an export. It may lose its portal and be published by the next one, after the
 * requests that came by the former one have ended. Thread-safe.
 */
abstract class RunningExport implements PoolExport {
  private final long generation;
  private final Source source;
  private final AlignedDevice device;
  private final ExportLocks.Held lock;
  private Optional<PublishedExport> published = Optional.empty();
  private PoolAddress address;
  private boolean closed;

  /**
   * Names of an export.
   *
   * @param node name of this node
   * @param frontend name of a frontend that speaks NBD
   * @param wireName of the export, with its generation
   */
  record Source(String node, String frontend, String wireName) {}

  /**
   * Publishes an export.
   *
   * @throws StorageException of the portal; the device is closed then
   */
  RunningExport(
      Portal portal, Source source, long generation, AlignedDevice device, ExportLocks.Held lock)
      throws StorageException {
    this.generation = generation;
    this.source = source;
    this.device = device;
    this.lock = lock;
    PublishedExport first;
    try {
      first = portal.publish(source.frontend(), source.wireName(), device);
    } catch (StorageException | RuntimeException e) {
      device.close();
      throw e;
    }
    this.published = Optional.of(first);
    this.address = address(first);
  }

  private PoolAddress address(PublishedExport at) {
    URI endpoint = at.endpoint();
    return new PoolAddress(source.node(), endpoint.getHost(), endpoint.getPort(), generation);
  }

  /** Is called once, when the export was withdrawn. */
  abstract void ended();

  /** Opens the device again. */
  abstract RawDevice reopen() throws StorageException;

  long generation() {
    return generation;
  }

  AlignedDevice device() {
    return device;
  }

  @Override
  public synchronized PoolAddress address() {
    return address;
  }

  /** Ends what the portal serves; when this returns, no request is at the device. */
  synchronized void suspend() {
    if (published.isPresent()) {
      published.get().close();
      published = Optional.empty();
      device.close();
    }
  }

  /**
   * Publishes it again, unless it is published or closed.
   *
   * @throws StorageException of the portal, or of opening the device
   */
  synchronized void resume(Portal portal) throws StorageException {
    if (closed || published.isPresent()) {
      return;
    }
    device.replace(this::reopen);
    PublishedExport next = portal.publish(source.frontend(), source.wireName(), device);
    published = Optional.of(next);
    address = address(next);
  }

  /** Closing the device waits for requests of a session for which the portal stopped waiting. */
  @Override
  public void close() throws StorageException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      published.ifPresent(PublishedExport::close);
      published = Optional.empty();
      device.close();
      lock.close();
    }
    ended();
  }
}
