package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.volume.InstanceState;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.secret.Secrets;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareManagerStatus;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.share.ShareServer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicReference;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Drives the servers of this node's shares. While the bundle of a server is absent, its processes
 * keep serving, and the share becomes unknown after {@link #ABSENCE}.
 */
@Component(service = Reconciler.class)
public final class ShareServerReconciler implements Reconciler<ShareManager> {
  /** Time within which the bundle of a server may be replaced. */
  static final Duration ABSENCE = Duration.ofSeconds(60);

  private static final Duration BUSY = Duration.ofMillis(200);
  private static final Duration CHANGING = Duration.ofMillis(500);
  private static final Duration PERIOD = Duration.ofSeconds(2);

  private final ShareServers servers;
  private final SecretProviders secrets = new SecretProviders();
  private final ShareKeys keys = new ShareKeys(secrets);
  private final ShareJobs jobs;
  private final Runnable end;
  private final Stopwatches watches = new Stopwatches();
  private final AtomicReference<Instant> began = new AtomicReference<>();

  /**
   * Creates the reconciler of a running bundle.
   *
   * @param servers the installed servers; when they change, this reconciler is registered again
   */
  @Activate
  public ShareServerReconciler(
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<ShareServer> servers) {
    this(servers, Executors.newCachedThreadPool(ShareServerReconciler::thread));
  }

  private ShareServerReconciler(List<ShareServer> servers, ExecutorService executor) {
    this.servers = new ShareServers(servers);
    this.jobs = new ShareJobs(executor);
    this.end = executor::shutdown;
  }

  /** Creates a reconciler whose steps run on an executor of the caller. */
  ShareServerReconciler(List<ShareServer> servers, Executor executor) {
    this.servers = new ShareServers(servers);
    this.jobs = new ShareJobs(executor);
    this.end = () -> {};
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "holdfast-share");
    thread.setDaemon(true);
    return thread;
  }

  /** Adds a provider of secrets. */
  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addSecrets(Secrets provider, Map<String, ?> properties) {
    secrets.add(provider, properties);
  }

  void removeSecrets(Secrets provider) {
    secrets.remove(provider);
  }

  @Deactivate
  void stop() {
    end.run();
  }

  @Override
  public String name() {
    return "share-server";
  }

  @Override
  public ResourceKind<ShareManager> kind() {
    return ShareManager.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches() {
    return List.of(
        new Watched<>(Volume.KIND, volume -> List.of(volume.name())),
        new Watched<>(Node.KIND, node -> List.of()));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<ShareManager> cached =
        context
            .get(ShareManager.KIND, name)
            .filter(share -> share.status().nodeID().equals(context.nodeName()));
    if (cached.isEmpty()) {
      watches.forget(name);
      return Result.DONE;
    }
    ShareManager share = cached.get();
    Optional<ShareServer> server = servers.of(share.spec().protocol());
    if (server.isEmpty()) {
      absent(share, context);
      return Result.after(PERIOD);
    }
    ServerWork work = new ServerWork(name, server.get(), keys, context, since(context));
    if (ShareTrim.isPending(share)) {
      ShareTrim trim = new ShareTrim(name, server.get(), context);
      boolean unused = jobs.run(name + " trim", trim::run);
    }
    boolean idle = jobs.run(name, work::step);
    return Result.after(idle ? period(share) : BUSY);
  }

  private Instant since(ReconcileContext context) {
    return began.updateAndGet(time -> time == null ? context.clock().instant() : time);
  }

  private static Duration period(ShareManager share) {
    return switch (share.status().state()) {
      case RUNNING, UNKNOWN, STOPPED -> PERIOD;
      case STARTING, STOPPING, ERROR -> CHANGING;
    };
  }

  private void absent(ShareManager cached, ReconcileContext context) throws StorageException {
    Duration absent = watches.since(cached.name(), "absent", context.clock().instant());
    Optional<ShareManager> stored = context.store().get(ShareManager.KIND, cached.name());
    if (absent.compareTo(ABSENCE) < 0 || stored.isEmpty()) {
      return;
    }
    ShareManagerStatus status = stored.get().status();
    boolean placed =
        status.state() == InstanceState.RUNNING || status.state() == InstanceState.STARTING;
    if (placed && status.nodeID().equals(context.nodeName())) {
      ShareManagerStatus next =
          ShareStatuses.because(
              status.withState(InstanceState.UNKNOWN),
              ShareReasons.SERVER_ABSENT,
              "node "
                  + context.nodeName()
                  + " has no server for protocol "
                  + cached.spec().protocol()
                  + ": install its bundle",
              context.clock().instant());
      context.store().updateStatus(stored.get().withStatus(next));
    }
  }
}
