package dev.holdfast.portal.internal.listen;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientDirectory;
import dev.holdfast.frontend.ExportPath;
import dev.holdfast.frontend.ExportStateStore;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.MultipathFrontend;
import dev.holdfast.frontend.PublishedExport;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.replace.ReplacementLog;
import dev.holdfast.portal.internal.replace.SessionMover;
import dev.holdfast.portal.internal.session.AttachedExport;
import dev.holdfast.portal.internal.session.ClientConnection;
import dev.holdfast.portal.internal.session.ClientPeer;
import dev.holdfast.portal.internal.session.ConnectionHost;
import dev.holdfast.portal.internal.session.FrontendHangDetector;
import dev.holdfast.portal.internal.session.FrontendRank;
import dev.holdfast.portal.internal.session.FrontendService;
import dev.holdfast.portal.internal.session.FrontendServices;
import dev.holdfast.portal.internal.session.SharedState;
import dev.holdfast.portal.internal.transport.ListenerTls;
import dev.holdfast.portal.internal.transport.Watchdog;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.ReplaceablePart;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One frontend's listening socket, exports and connections. It stays when the frontend's bundle is
 * removed: sessions are parked and new connections wait until a bundle arrives.
 */
public final class FrontendListener implements ConnectionHost, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(FrontendListener.class);

  private final String name;
  private final PortalContext context;
  private final ServerSocketChannel server;
  private final AcceptLoop remote;
  private final ListenerTls tls;
  private final AuthenticationMode authentication;
  private final Watchdog.Watched rightsCheck = this::checkRights;
  private final Map<String, ExportEntry> exports = new ConcurrentSkipListMap<>();
  private final Set<ClientConnection> connections = ConcurrentHashMap.newKeySet();
  private final FrontendServices services;
  private final RemoteExports others;
  private final SessionMover mover;
  private final ReplacementLog history;
  private final FrontendHangDetector troubles;
  private final AtomicLong accepted = new AtomicLong();
  private final SessionReports reports;
  private Optional<LocalSocket> local = Optional.empty();
  private Optional<AcceptLoop> localLoop = Optional.empty();
  private boolean closed;

  private FrontendListener(
      String name,
      FrontendServices services,
      PortalContext context,
      ServerSocketChannel server,
      ListenerTls tls,
      AuthenticationMode authentication,
      SessionReports reports) {
    this.authentication = authentication;
    this.reports = reports;
    this.name = name;
    this.services = services;
    this.context = context;
    this.server = server;
    this.remote = new AcceptLoop("portal-" + name, server, this::admit);
    this.tls = tls;
    this.others = new RemoteExports(name, context, services, exports::containsKey);
    this.history = new ReplacementLog(name, context.clock());
    this.troubles =
        new FrontendHangDetector(
            context.clock(), context.bundleOf(), Watchdog.ticks(context.shared().limits().late()));
    this.mover =
        new SessionMover(
            services,
            () -> connections,
            context.calls(),
            history,
            context.shared().limits().replacement());
  }

  public static FrontendListener open(
      FrontendProvider frontend, FrontendServices services, PortalContext context)
      throws StorageException {
    ListenerSettings settings = context.settings();
    ListenerTls tls = tls(frontend, services, context);
    // A listener for nodes checks their certificates itself.
    AuthenticationMode authentication =
        frontend.nodesOnly() ? AuthenticationMode.OPEN : settings.authentication();
    ServerSocketChannel server = ListenerSocket.open(frontend, settings);
    // Connections between nodes are not reported as clients of volumes.
    SessionReports reports =
        new SessionReports(frontend.nodesOnly() ? Optional::empty : context.clients());
    FrontendListener listener =
        new FrontendListener(
            frontend.name(), services, context, server, tls, authentication, reports);
    listener.start(LocalSocket.open(frontend, settings, listener.port()));
    return listener;
  }

  private static ListenerTls tls(
      FrontendProvider frontend, FrontendServices services, PortalContext context)
      throws StorageException {
    ListenerSettings settings = context.settings();
    if (settings.nodesOnly(frontend)) {
      return new NodeClientTls(context.certificates());
    }
    TlsMode mode = settings.tls(frontend);
    PresharedKeyTls.check(frontend, mode);
    return new PresharedKeyTls(services, mode, new TlsKeys(context, mode));
  }

  private synchronized void start(Optional<LocalSocket> socket) {
    local = socket;
    localLoop =
        socket.map(one -> new AcceptLoop("portal-" + name + "-local", one.server(), this::admit));
    remote.start();
    localLoop.ifPresent(AcceptLoop::start);
    mover.start("portal-" + name + "-mover");
    context.shared().watchdog().watch(tls);
    context.shared().watchdog().watch(rightsCheck);
    log.info("frontend {} listens on {}:{}", name, context.settings().address(), port());
    socket.ifPresent(one -> log.info("frontend {} listens on {}", name, one.path()));
  }

  int port() {
    return server.socket().getLocalPort();
  }

  /** Exports a device by a single path. */
  public PublishedExport publish(String export, BlockDevice device, ExportStateStore store)
      throws StorageException {
    return publish(export, device, new SharedState(store));
  }

  /** Exports a device by one of several paths. */
  public PublishedExport publish(
      String export, BlockDevice device, ExportStateStore store, ExportPath path)
      throws StorageException {
    if (services.first().filter(one -> one.frontend() instanceof MultipathFrontend).isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "frontend " + name + ": its protocol has no paths; publish " + export + " without one");
    }
    return publish(export, device, new SharedState(store, path));
  }

  private PublishedExport publish(String export, BlockDevice device, SharedState state)
      throws StorageException {
    Optional<FrontendService> current = services.first();
    if (current.isEmpty()) {
      throw new StorageException(
          ErrorCode.BUSY,
          "frontend " + name + " is being replaced; publish " + export + " again when it is back");
    }
    String host = context.settings().advertisedAddress();
    ExportEntry entry =
        new ExportEntry(
            this, export, device, current.get().frontend().endpoint(host, port(), export), state);
    if (exports.putIfAbsent(export, entry) != null) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "frontend " + name + " publishes an export " + export + " already");
    }
    log.info("export {} is at {}", export, entry.endpoint());
    return entry;
  }

  void withdraw(String export, ExportEntry entry) {
    if (exports.remove(export, entry)) {
      log.info("export {} is withdrawn from frontend {}", export, name);
    }
  }

  /**
   * Ends connections: first shuts down their input, then closes their sockets after the grace
   * period.
   */
  void endAll(Collection<ClientConnection> ending) {
    ending.forEach(ClientConnection::end);
    long deadline = System.nanoTime() + context.shared().limits().grace().toNanos();
    for (ClientConnection connection : ending) {
      connection.awaitEnd(deadline);
    }
  }

  @Override
  public Optional<AttachedExport> attach(String export, ClientConnection connection) {
    // Frontends check this themselves; reject here too, so that a defective one does not send
    // unencrypted data.
    if (connection.tls() == TlsPolicy.REQUIRED && !connection.secured()) {
      log.warn("frontend {}: TLS is required, and {} has none", name, connection.peer());
      return Optional.empty();
    }
    ExportRights rights = rights(connection);
    if (!rights.permits(export)) {
      if (exports.containsKey(export)) {
        log.warn("frontend {}: {} may not use export {}", name, connection.peer(), export);
        rights.refusedExport(export);
      }
      return Optional.empty();
    }
    Optional<AttachedExport> attached =
        Optional.ofNullable(exports.get(export))
            .filter(entry -> entry.attach(connection))
            .map(ExportEntry::attached)
            .map(
                found ->
                    rights.readOnly(export)
                        ? found.with(new ReadOnlyDevice(found.device()))
                        : found);
    if (attached.isPresent()) {
      reports.began(connection, rights.session(export));
    }
    return attached;
  }

  @Override
  public ExportRights rights(ClientConnection connection) {
    return new ExportRights(name, connection, authentication, this, context.clients());
  }

  /** Ends the sessions of clients that lost the right to their export. */
  private void checkRights(int tick) {
    if (context.clients().get().filter(ClientDirectory::ready).isEmpty()) {
      return; // The directory's bundle is being replaced, or it has not read its clients.
    }
    for (ClientConnection connection : connections) {
      Optional<String> export = connection.export();
      ExportRights rights = rights(connection);
      if (export.isPresent() && !rights.permits(export.get())) {
        rights.withdrawn(export.get());
        log.warn("frontend {}: {} may not use {} any more", name, connection.peer(), export.get());
        connection.sever();
      }
    }
  }

  @Override
  public void ended(ClientConnection connection) {
    connections.remove(connection);
    reports.ended(connection);
    exports.values().forEach(entry -> entry.detach(connection));
    servicesChanged();
  }

  @Override
  public List<String> names() {
    return List.copyOf(exports.keySet());
  }

  @Override
  public Optional<BlockDevice> find(String export) {
    return Optional.ofNullable(exports.get(export)).map(ExportEntry::device);
  }

  @Override
  public Optional<URI> endpoint(String export) {
    return Optional.ofNullable(exports.get(export)).map(ExportEntry::endpoint);
  }

  @Override
  public Optional<URI> elsewhere(String export) {
    return others.endpoint(export, port());
  }

  @Override
  public Map<String, URI> elsewhere() {
    return others.endpoints(port());
  }

  @Override
  public ListenerTls tls() {
    return tls;
  }

  /**
   * Handles an arrived service: waiting connections continue, and sessions move if it is preferred.
   */
  public void arrived() {
    servicesChanged();
    mover.wake();
  }

  /**
   * Handles a removed service: its sessions move to another, or are parked until one arrives. Those
   * that cannot be parked end.
   */
  public void left() {
    mover.moveNow();
    endAll(connections.stream().filter(connection -> connection.slot().stranded()).toList());
  }

  @Override
  public void sessionFreed() {
    mover.wake();
  }

  private synchronized void servicesChanged() {
    notifyAll();
  }

  @Override
  public synchronized Optional<FrontendProvider> awaitPresence() throws InterruptedException {
    Optional<FrontendService> present = forNewSessions();
    while (present.isEmpty() && !closed) {
      wait();
      present = forNewSessions();
    }
    return closed ? Optional.empty() : present.map(FrontendService::frontend);
  }

  @Override
  public synchronized Optional<FrontendService> awaitFrontend(ClientConnection connection)
      throws InterruptedException {
    Optional<FrontendService> chosen = forNewSessions();
    while (chosen.isEmpty() && !closed) {
      wait();
      chosen = forNewSessions();
    }
    if (closed) {
      return Optional.empty();
    }
    connection.startServing(chosen.get());
    return chosen;
  }

  /** Returns the service for new sessions; never one that cannot resume the parked sessions. */
  private Optional<FrontendService> forNewSessions() {
    Optional<FrontendService> target = services.target();
    boolean waiting = connections.stream().anyMatch(connection -> connection.slot().waiting());
    return target.isPresent() || waiting ? target : services.first();
  }

  @Override
  public void threw(FrontendRank by, String subject, Throwable failure) {
    troubles.threw(by, subject, failure);
  }

  /** Returns the bundles that hang or fail in its connections. */
  public List<BundleTrouble> troubles() {
    return troubles.now(connections, context.shared().watchdog().now());
  }

  /** Returns the number of sessions of each bundle, and the results of replacements. */
  public ReplaceablePart part() {
    return new ReplaceablePart(
        name,
        services.bundles(
            service -> (int) connections.stream().filter(c -> c.slot().served(service)).count()),
        (int) connections.stream().filter(c -> c.slot().moving()).count(),
        history.failures(),
        history.pauses());
  }

  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      notifyAll();
      localLoop.ifPresent(AcceptLoop::close);
      local.ifPresent(LocalSocket::close);
    }
    remote.close();
    context.shared().watchdog().forget(tls);
    context.shared().watchdog().forget(rightsCheck);
    endAll(List.copyOf(connections));
    mover.close();
  }

  private void admit(SocketChannel channel) throws IOException {
    if (connections.size() >= context.shared().limits().connections()) {
      log.warn(
          "frontend {} has {} connections, which is the limit; rejected {}",
          name,
          connections.size(),
          ClientPeer.of(channel).name());
      channel.close();
      return;
    }
    try {
      if (!ClientPeer.of(channel).local()) {
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      }
      String thread = "portal-" + name + "-" + accepted.incrementAndGet();
      ClientConnection connection = new ClientConnection(this, context.shared(), channel, thread);
      connections.add(connection);
      connection.start();
    } catch (IOException e) {
      channel.close();
      log.debug("frontend {}: a client disconnected before it was served", name, e);
    }
  }
}
