package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.Frontend;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** The portal over TCP sockets: a listener per frontend, a thread per connection. Thread-safe. */
public final class SocketPortal implements Portal, AutoCloseable {
  private final PortalContext context;
  private volatile Optional<NodeTls> certificates = Optional.empty();
  private final Map<String, Frontend> frontends = new HashMap<>();
  private final Map<String, FrontendListener> listeners = new HashMap<>();

  /**
   * Creates a portal; it listens from the first publication on.
   *
   * @param settings options, not null
   * @throws StorageException INVALID when an option has a wrong value
   */
  public SocketPortal(PortalSettings settings) throws StorageException {
    this(settings, settings.limits());
  }

  SocketPortal(PortalSettings settings, PortalLimits limits) {
    BufferPool pool = new BufferPool(limits.bufferBytes(), limits.stall().toNanos());
    this.context = new PortalContext(settings, limits, pool, new Watchdog(), () -> certificates);
    context.watchdog().start();
  }

  /**
   * Says what nodes are known by. Without it no node can connect.
   *
   * @param tls the service, not null
   */
  public synchronized void arrived(NodeTls tls) {
    certificates = Optional.of(tls);
  }

  /**
   * What nodes are known by goes. Connections that stand are not touched.
   *
   * @param tls the service, not null
   */
  public synchronized void left(NodeTls tls) {
    if (certificates.filter(current -> current == tls).isPresent()) {
      certificates = Optional.empty();
    }
  }

  /**
   * A frontend's bundle is there.
   *
   * @param frontend the service, not null
   */
  public synchronized void arrived(Frontend frontend) {
    frontends.put(frontend.name(), frontend);
    FrontendListener listener = listeners.get(frontend.name());
    if (listener != null) {
      listener.arrived(frontend);
    }
  }

  /**
   * A frontend's bundle goes; when this returns nothing of it is used any more.
   *
   * @param frontend the service, not null
   */
  public void left(Frontend frontend) {
    FrontendListener listener;
    synchronized (this) {
      frontends.remove(frontend.name(), frontend);
      listener = listeners.get(frontend.name());
    }
    if (listener != null) {
      listener.left(frontend);
    }
  }

  @Override
  public PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException {
    return listener(frontend).publish(export, device);
  }

  private synchronized FrontendListener listener(String name) throws StorageException {
    FrontendListener listener = listeners.get(name);
    if (listener != null) {
      return listener;
    }
    Frontend frontend = frontends.get(name);
    if (frontend == null) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "no frontend " + name + " is installed; there are " + frontends.keySet());
    }
    FrontendListener opened = FrontendListener.open(frontend, context);
    listeners.put(name, opened);
    return opened;
  }

  @Override
  public synchronized void close() {
    listeners.values().forEach(FrontendListener::close);
    listeners.clear();
    context.watchdog().close();
  }

  /** Returns the bytes of buffers that connections hold at the moment. */
  long bufferBytes() {
    return context.pool().used();
  }
}
