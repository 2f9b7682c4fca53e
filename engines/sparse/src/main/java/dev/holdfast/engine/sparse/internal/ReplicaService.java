package dev.holdfast.engine.sparse.internal;

import dev.holdfast.engine.sparse.internal.serve.ReplicaServer;
import dev.holdfast.engine.sparse.internal.serve.ServedSessions;
import dev.holdfast.frontend.Portal;
import io.grpc.BindableService;
import io.grpc.ServerServiceDefinition;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.BundleContext;
import org.osgi.framework.ServiceReference;
import org.osgi.framework.Version;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/**
 * Serves this node's replicas to engines on other nodes. While a newer bundle offers the same
 * service, this one leaves the sessions to that bundle.
 */
@Component(service = BindableService.class, property = ReplicaService.PROPERTY)
public final class ReplicaService implements BindableService {
  private static final long LOOK_SECONDS = 15;
  static final String PROPERTY = "holdfast.serves=sparse-replicas";

  private static final Set<String> WITHOUT_TLS = Set.of("off", "false");

  private final ExecutorService executor = Executors.newCachedThreadPool(ReplicaService::daemon);
  private final ScheduledExecutorService looks =
      Executors.newSingleThreadScheduledExecutor(ReplicaService::daemon);
  private final Set<ServiceReference<?>> newer = ConcurrentHashMap.newKeySet();
  private final Version version;
  private final ServedSessions sessions;
  private final ReplicaServer server;

  /** Starts without sessions. */
  @Activate
  public ReplicaService(
      @Reference SparseEngine engine, @Reference Portal portal, BundleContext context) {
    this.version = context.getBundle().getVersion();
    this.sessions = new ServedSessions(engine.host(), portal, executor);
    this.server = new ReplicaServer(sessions, usesTls(context));
    var unused =
        looks.scheduleWithFixedDelay(
            sessions::endUnused, LOOK_SECONDS, LOOK_SECONDS, TimeUnit.SECONDS);
  }

  static boolean usesTls(BundleContext context) {
    String tls = context.getProperty("holdfast.replica.tls");
    return tls == null || !WITHOUT_TLS.contains(tls.strip().toLowerCase(Locale.ROOT));
  }

  @Reference(
      cardinality = ReferenceCardinality.MULTIPLE,
      policy = ReferencePolicy.DYNAMIC,
      target = "(" + PROPERTY + ")")
  void addOther(ServiceReference<BindableService> other) {
    if (other.getBundle().getVersion().compareTo(version) > 0 && newer.add(other)) {
      sessions.giveWay(true);
    }
  }

  void removeOther(ServiceReference<BindableService> other) {
    if (newer.remove(other) && newer.isEmpty()) {
      sessions.giveWay(false);
    }
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "replica-service");
    thread.setDaemon(true);
    return thread;
  }

  @Override
  public ServerServiceDefinition bindService() {
    return server.bindService();
  }

  /**
   * Ends all sessions. The engines reconnect to the replicas when a bundle offers this service
   * again.
   */
  @Deactivate
  public void stop() {
    sessions.stop();
    looks.shutdown();
    executor.shutdown();
  }
}
