package dev.holdfast.portal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.certificates.NodeTls;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportDirectory;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.Portal;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.portal.internal.listen.FrontendListener;
import dev.holdfast.portal.internal.listen.PortalContext;
import dev.holdfast.portal.internal.session.ClosedConnections;
import dev.holdfast.portal.internal.session.ConnectionContext;
import dev.holdfast.portal.internal.session.FrontendCalls;
import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.portal.internal.session.FrontendService;
import dev.holdfast.portal.internal.session.FrontendServices;
import dev.holdfast.portal.internal.session.SharedState;
import dev.holdfast.portal.internal.transport.BufferPool;
import dev.holdfast.portal.internal.transport.PortalLimits;
import dev.holdfast.portal.internal.transport.PortalThreads;
import dev.holdfast.portal.internal.transport.Watchdog;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.PluginOrigin;
import dev.holdfast.upgrade.PluginOwners;
import dev.holdfast.upgrade.ReplaceablePart;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The portal over TCP sockets: one listener per frontend, one thread per connection. Thread-safe.
 */
public final class SocketPortal implements Portal, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketPortal.class);
  private static final int TRIM_TICKS = Watchdog.ticks(Duration.ofSeconds(20));

  private final PortalContext context;
  private volatile Optional<NodeTls> certificates = Optional.empty();
  private volatile Optional<ExportDirectory> directory = Optional.empty();
  private volatile Optional<ClientDirectory> clients = Optional.empty();
  private volatile Function<String, Optional<FrontendRank>> bundleOf = name -> Optional.empty();
  private volatile Predicate<String> installed = symbolicName -> true;
  private final PluginOwners<FrontendProvider> owners;
  private final Map<String, FrontendServices> frontends = new TreeMap<>();
  private final Map<String, FrontendListener> listeners = new HashMap<>();
  private boolean closed;

  /**
   * Creates a portal that starts to listen at the first publication.
   *
   * @param settings options, not null
   * @throws StorageException INVALID when an option has a wrong value
   */
  public SocketPortal(PortalSettings settings) throws StorageException {
    this(settings, settings.limits());
  }

  SocketPortal(PortalSettings settings, PortalLimits limits) {
    this.context =
        new PortalContext(
            settings,
            new ConnectionContext(
                limits,
                new BufferPool(limits.bufferBytes(), limits.stall().toNanos()),
                new Watchdog(),
                new ClosedConnections(Clock.systemUTC()),
                new PortalThreads()),
            new FrontendCalls(),
            Clock.systemUTC(),
            () -> certificates,
            () -> directory,
            () -> clients,
            name -> bundleOf.apply(name));
    this.owners =
        new PluginOwners<>("frontend", name -> installed.test(name), context.clock(), LOG::warn);
    context.shared().watchdog().start(this::tick);
  }

  /**
   * Sets the service that identifies nodes. Without it no node can connect.
   *
   * @param tls the service, not null
   */
  public synchronized void arrived(NodeTls tls) {
    certificates = Optional.of(tls);
  }

  /**
   * Removes the service that identifies nodes. Established connections continue.
   *
   * @param tls the service, not null
   */
  public synchronized void left(NodeTls tls) {
    if (certificates.filter(current -> current == tls).isPresent()) {
      certificates = Optional.empty();
    }
  }

  /**
   * Sets the directory of other nodes' exports. Without it the portal redirects no client.
   *
   * @param service not null
   */
  public synchronized void arrived(ExportDirectory service) {
    directory = Optional.of(service);
  }

  /**
   * Removes the directory of other nodes' exports.
   *
   * @param service not null
   */
  public synchronized void left(ExportDirectory service) {
    if (directory.filter(current -> current == service).isPresent()) {
      directory = Optional.empty();
    }
  }

  /**
   * Sets the directory of clients. Without it no client can prove an identity.
   *
   * @param service not null
   */
  public synchronized void arrived(ClientDirectory service) {
    clients = Optional.of(service);
  }

  /**
   * Removes the directory of clients. Established connections continue.
   *
   * @param service not null
   */
  public synchronized void left(ClientDirectory service) {
    if (clients.filter(current -> current == service).isPresent()) {
      clients = Optional.empty();
    }
  }

  /**
   * Adds a frontend outside of the container.
   *
   * @param frontend the service, not null
   */
  public void arrived(FrontendProvider frontend) {
    arrived(frontend, FrontendRank.outside());
  }

  /**
   * Adds one version of a frontend outside of the container. All versions have one symbolic name,
   * so that each may use the name of the frontend.
   *
   * @param frontend the service, not null
   * @param version version in OSGi syntax, not null
   * @param bundle number that distinguishes the versions
   */
  public void arrived(FrontendProvider frontend, String version, long bundle) {
    arrived(frontend, FrontendRank.outside(version, bundle));
  }

  /**
   * Adds the frontend of a bundle. If it is preferred to others of its name, it receives new
   * connections, and the sessions of the others move to it. It is refused if its name belongs to
   * another bundle.
   *
   * @param frontend the service, not null
   * @param origin origin of the frontend, not null
   */
  void arrived(FrontendProvider frontend, FrontendRank origin) {
    List<FrontendProvider> dismissed =
        owners.add(
            frontend,
            frontend.name(),
            new PluginOrigin(origin.bundle(), origin.symbolicName(), origin.version()));
    dismissed.forEach(this::leave);
    enter(frontend, origin);
  }

  private synchronized void enter(FrontendProvider frontend, FrontendRank origin) {
    if (!owners.admits(frontend)) {
      return;
    }
    FrontendService unused =
        frontends
            .computeIfAbsent(frontend.name(), name -> new FrontendServices())
            .add(frontend, origin);
    FrontendListener listener = listeners.get(frontend.name());
    if (listener != null) {
      listener.arrived();
    }
  }

  /**
   * Removes the frontend of a bundle. Its sessions move to another one of its name, or wait for
   * one; sessions that can do neither end. After the return it is unused, except by sessions whose
   * calls or requests did not end within the limit: these move later.
   *
   * @param frontend the service, not null
   */
  public void left(FrontendProvider frontend) {
    owners.remove(frontend);
    leave(frontend);
  }

  private void leave(FrontendProvider frontend) {
    FrontendListener listener;
    synchronized (this) {
      FrontendServices services = frontends.get(frontend.name());
      if (services == null || services.remove(frontend).isEmpty()) {
        return;
      }
      listener = listeners.get(frontend.name());
      if (listener == null && services.all().isEmpty()) {
        frontends.remove(frontend.name());
      }
    }
    if (listener != null) {
      listener.left();
    }
  }

  /**
   * Sets how the bundle of a class is found, to name a bundle that hangs. Without it the frontend's
   * bundle is named.
   *
   * @param finder returns the bundle for a class name, not null
   */
  void codeIsFoundBy(Function<String, Optional<FrontendRank>> finder) {
    bundleOf = finder;
  }

  /**
   * Sets how the portal checks whether a bundle is installed. By default every bundle counts as
   * installed.
   *
   * @param finder takes a symbolic name, not null
   */
  public void installedIsFoundBy(Predicate<String> finder) {
    installed = finder;
  }

  /** Returns the bundles that hang, fail for clients or are refused at present; never null. */
  public List<BundleTrouble> troubles() {
    List<FrontendListener> all;
    synchronized (this) {
      all = List.copyOf(listeners.values());
    }
    return Stream.concat(
            owners.troubles().stream(),
            all.stream().flatMap(listener -> listener.troubles().stream()))
        .toList();
  }

  /** Returns the state of each frontend: its bundles, their sessions and failures; never null. */
  public synchronized List<ReplaceablePart> parts() {
    List<ReplaceablePart> parts = new ArrayList<>();
    frontends.forEach((name, services) -> part(name, services).ifPresent(parts::add));
    return parts;
  }

  private Optional<ReplaceablePart> part(String name, FrontendServices services) {
    FrontendListener listener = listeners.get(name);
    ReplaceablePart part =
        listener != null
            ? listener.part()
            : new ReplaceablePart(name, services.bundles(service -> 0), 0, List.of(), List.of());
    boolean shown = !part.bundles().isEmpty() || part.parked() > 0;
    return shown ? Optional.of(part) : Optional.empty();
  }

  @Override
  public PublishedExport publish(String frontend, String export, BlockDevice device)
      throws StorageException {
    return publish(frontend, export, device, SharedState.NO_STORE);
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store)
      throws StorageException {
    return listener(frontend).publish(export, device, store);
  }

  @Override
  public PublishedExport publish(
      String frontend, String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException {
    return listener(frontend).publish(export, device, store, path);
  }

  private synchronized FrontendListener listener(String name) throws StorageException {
    if (closed) {
      throw new StorageException(
          ErrorCode.BUSY, "frontend " + name + ": the portal is closed; try again in the next one");
    }
    FrontendListener listener = listeners.get(name);
    if (listener != null) {
      return listener;
    }
    FrontendServices services = frontends.getOrDefault(name, new FrontendServices());
    Optional<FrontendService> frontend = services.first();
    if (frontend.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "frontend " + name + " is not installed; installed are " + frontends.keySet());
    }
    FrontendListener opened = FrontendListener.open(frontend.get().frontend(), services, context);
    listeners.put(name, opened);
    return opened;
  }

  @Override
  public void close() {
    List<FrontendListener> open;
    synchronized (this) {
      closed = true;
      open = List.copyOf(listeners.values());
      listeners.clear();
    }
    open.forEach(FrontendListener::close);
    context.shared().watchdog().close();
    context.calls().close();
    context.shared().threads().close();
  }

  private void tick() {
    context.shared().closed().report();
    if (context.shared().watchdog().now() % TRIM_TICKS == 0) {
      context.shared().pool().trim();
    }
  }

  /** Returns the bytes of buffers that connections hold at present. */
  long bufferBytes() {
    return context.shared().pool().used();
  }
}
