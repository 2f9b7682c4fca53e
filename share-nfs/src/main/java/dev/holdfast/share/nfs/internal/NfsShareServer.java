package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostInitiators;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.processes.ProcessSupervisor;
import dev.holdfast.share.LeasedShares;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareObservation;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.ShareStop;
import dev.holdfast.share.WriteProbe;
import dev.holdfast.share.nfs.internal.ganesha.ServerLease;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * Serves shares over NFS 4 with one NFS-Ganesha for each volume. The servers outlive this bundle.
 * Thread-safe.
 */
@Component(service = ShareServer.class)
public final class NfsShareServer implements ShareServer, LeasedShares {
  private static final Path SOCKETS = Path.of("/run/holdfast/share-nfs");
  private static final Duration EXPEL = Duration.ofSeconds(10);
  private static final Duration CHANGE = Duration.ofMinutes(2);
  private static final Duration TRIM = Duration.ofMinutes(10);

  private final List<InitiatorProvider> providers = new CopyOnWriteArrayList<>();
  private final ScheduledExecutorService supervision =
      new ScheduledThreadPoolExecutor(1, task -> thread(task, "share-nfs-processes"));
  private final ExecutorService changes =
      Executors.newCachedThreadPool(task -> thread(task, "share-nfs"));
  private final BoundedCalls calls = new BoundedCalls(changes);
  private final ShareHost node;
  private final ShareObserver observer;

  /**
   * Starts it.
   *
   * @throws StorageException BUSY when another bundle still has the processes; IO
   */
  @Activate
  public NfsShareServer(BundleContext context, @Reference Host host) throws StorageException {
    this(stateDirectory(context), SOCKETS, host);
  }

  NfsShareServer(Path data, Path sockets, Host host) throws StorageException {
    HostState connections = new HostState(data.resolve("initiators"));
    Path own = data.resolve("share-nfs");
    Path processes = own.resolve("processes");
    this.node =
        new ShareHost(
            host,
            new HostInitiators(() -> initiators(connections)),
            ProcessSupervisor.open(processes, Clock.systemUTC(), supervision),
            processes,
            new ShareRecords(own.resolve("records")),
            new RecordedConnections(),
            own.resolve("shares"),
            sockets);
    this.observer = new ShareObserver(node);
  }

  private static Path stateDirectory(BundleContext context) {
    return Optional.ofNullable(context.getProperty("holdfast.data"))
        .map(Path::of)
        .orElseThrow(
            () -> new IllegalStateException("the framework property holdfast.data is not set"));
  }

  private static Thread thread(Runnable task, String name) {
    Thread thread = new Thread(task, name);
    thread.setDaemon(true);
    return thread;
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addProvider(InitiatorProvider provider) {
    providers.add(provider);
  }

  void removeProvider(InitiatorProvider provider) {
    providers.remove(provider);
  }

  private List<Initiator> initiators(HostState connections) {
    return providers.stream()
        .flatMap(provider -> provider.initiators(connections).stream())
        .toList();
  }

  /** Leaves the servers as they are. */
  @Deactivate
  public void close() throws StorageException {
    changes.shutdownNow();
    node.supervisor().close();
    supervision.shutdownNow();
  }

  @Override
  public String protocol() {
    return "nfs";
  }

  @Override
  public List<String> missingPackages(Optional<ShareRequest> request) throws StorageException {
    return new Requirements(node.host()).missing(request);
  }

  @Override
  public void start(ShareRequest request, Duration limit) throws StorageException {
    change(request.volume(), limit, () -> new NfsShare(node, request).start());
  }

  @Override
  public ShareObservation observe(ShareRequest request, Duration limit) throws StorageException {
    return observer.observe(request, limit);
  }

  @Override
  public WriteProbe probe(ShareInstance instance, Duration limit) throws StorageException {
    return observer.probe(instance, limit);
  }

  @Override
  public void stop(ShareInstance instance, ShareStop how, Duration limit) throws StorageException {
    try {
      change(instance.volume(), limit, () -> removal(instance, removal -> removal.inOrder(how)));
    } catch (StorageException e) {
      if (!isHeldUp(e)) {
        throw e;
      }
      expel(instance);
    }
  }

  /** A busy mount waits for the program that uses it, and is not taken from it. */
  private static boolean isHeldUp(StorageException e) {
    return switch (e.code()) {
      case TIMEOUT -> true;
      case NOT_FOUND,
          ALREADY_EXISTS,
          CONFLICT,
          INVALID,
          UNSUPPORTED,
          NO_SPACE,
          BUSY,
          UNREACHABLE,
          EXPIRED,
          FORBIDDEN,
          IO,
          INTERNAL ->
          false;
    };
  }

  @Override
  public void expel(ShareInstance instance) throws StorageException {
    requireOurs(instance);
    calls.preempt(instance.volume());
    change(instance.volume(), EXPEL, () -> removal(instance, ShareRemoval::byForce));
  }

  @Override
  public void prolong(Optional<Duration> limit) throws StorageException {
    String[] volumes = node.folders().toFile().list();
    for (String volume : volumes == null ? new String[0] : volumes) {
      new ServerLease(node.folder(volume)).prolong(limit);
    }
  }

  /** How a share is removed. */
  private interface How {
    void remove(ShareRemoval removal) throws StorageException;
  }

  private void removal(ShareInstance instance, How how) throws StorageException {
    Optional<ShareRecord> record = requireOurs(instance);
    if (record.isPresent()) {
      how.remove(new ShareRemoval(node, record.get()));
    }
  }

  private Optional<ShareRecord> requireOurs(ShareInstance instance) throws StorageException {
    Optional<ShareRecord> record = node.records().find(instance.volume());
    if (record.isPresent() && record.get().epoch() > instance.epoch()) {
      throw node.superseded(record.get(), instance.epoch());
    }
    return record;
  }

  @Override
  public List<ShareInstance> instances() throws StorageException {
    return node.records().all().stream()
        .map(record -> new ShareInstance(record.volume(), record.epoch()))
        .toList();
  }

  @Override
  public void repair(ShareRequest request, Duration limit) throws StorageException {
    change(request.volume(), limit, () -> new NfsShare(node, request).repair());
  }

  @Override
  public void grow(ShareRequest request) throws StorageException {
    change(request.volume(), CHANGE, () -> new NfsShare(node, request).grow());
  }

  @Override
  public long trim(ShareRequest request) throws StorageException {
    return calls.run(request.volume(), TRIM, () -> new NfsShare(node, request).trim());
  }

  /** Change without a result. */
  private interface Action {
    void run() throws StorageException;
  }

  private void change(String volume, Duration limit, Action action) throws StorageException {
    Boolean unused =
        calls.run(
            volume,
            limit,
            () -> {
              action.run();
              return true;
            });
  }
}
