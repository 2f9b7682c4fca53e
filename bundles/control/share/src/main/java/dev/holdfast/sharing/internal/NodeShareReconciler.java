package dev.holdfast.sharing.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.controller.Watched;
import dev.holdfast.datapath.AttachedVolumes;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.share.ShareInstance;
import dev.holdfast.share.ShareManager;
import dev.holdfast.share.ShareReasons;
import dev.holdfast.share.ShareServer;
import dev.holdfast.store.LabelSelector;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.Constants;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of this node for all shares. Renews its lease while the cluster has shares; without it the
 * {@link ServerGuard} ends servers. Reports whether the host can serve. Removes all parts of shares
 * that another node serves, or that the store no longer has.
 */
@Component(service = Reconciler.class)
public final class NodeShareReconciler implements Reconciler<Node> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeShareReconciler.class);
  private static final Duration IDLE = Duration.ofSeconds(30);

  private final ShareServers servers;
  private final ServerGuard guard;
  private final Runnable end;

  /**
   * Creates the reconciler of a running bundle.
   *
   * @param bundle shows whether the container is stopping
   * @param volumes the volumes of this node
   * @param servers the installed servers; when they change, this reconciler is registered again
   */
  @Activate
  public NodeShareReconciler(
      BundleContext bundle,
      @Reference AttachedVolumes volumes,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<ShareServer> servers) {
    ExecutorService workers = Executors.newCachedThreadPool(NodeShareReconciler::thread);
    ScheduledExecutorService timer =
        Executors.newSingleThreadScheduledExecutor(NodeShareReconciler::thread);
    this.servers = new ShareServers(servers);
    this.guard = new ServerGuard(this.servers, volumes::takenOver, workers, System::nanoTime);
    this.end =
        () -> {
          timer.shutdownNow();
          workers.shutdown();
          if (bundle.getBundle(Constants.SYSTEM_BUNDLE_ID).getState() != Bundle.STOPPING) {
            guard.replaced();
          }
        };
    long period = ServerGuard.PERIOD.toNanos();
    var unused = timer.scheduleWithFixedDelay(this::guard, period, period, TimeUnit.NANOSECONDS);
  }

  /** Creates a reconciler whose guard runs only when the caller calls it. */
  NodeShareReconciler(List<ShareServer> servers, ServerGuard guard) {
    this.servers = new ShareServers(servers);
    this.guard = guard;
    this.end = () -> {};
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "holdfast-share-guard");
    thread.setDaemon(true);
    return thread;
  }

  /** Runs the guard and catches exceptions, because an exception would end the timer. */
  private void guard() {
    try {
      guard.look();
    } catch (RuntimeException e) {
      LOG.error("could not check the servers of shares because of a defect; trying again", e);
    }
  }

  @Deactivate
  void stop() {
    end.run();
  }

  @Override
  public String name() {
    return "share-node";
  }

  @Override
  public ResourceKind<Node> kind() {
    return Node.KIND;
  }

  @Override
  public Scope scope() {
    return Scope.NODE;
  }

  @Override
  public List<Watched<?>> watches(ReconcileContext context) {
    String here = context.nodeName();
    return List.of(new Watched<>(ShareManager.KIND, share -> List.of(here)));
  }

  @Override
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Node> node = context.get(Node.KIND, name);
    if (!name.equals(context.nodeName()) || node.isEmpty()) {
      return Result.DONE;
    }
    List<ShareManager> shares = context.list(ShareManager.KIND, LabelSelector.ALL);
    boolean used = !shares.isEmpty();
    // The processes keep serving while the bundle of their server is replaced.
    boolean serving = shares.stream().anyMatch(share -> isHere(share, name));
    guard.alone(isAlone(context));
    if (serving || (used && !servers.all().isEmpty())) {
      long sent = guard.now();
      ShareLeases.renew(context);
      guard.renewed(sent);
    } else {
      guard.rest();
    }
    report(node.get(), context);
    sweep(context);
    return Result.after(used ? ShareLeases.PERIOD : IDLE);
  }

  private static boolean isAlone(ReconcileContext context) {
    return context.list(Node.KIND, LabelSelector.ALL).stream()
        .filter(other -> !other.name().equals(context.nodeName()))
        .noneMatch(
            other ->
                Condition.find(other.status().conditions(), ShareManager.NODE_CONDITION)
                    .filter(condition -> condition.status() == Condition.Status.TRUE)
                    .isPresent());
  }

  private void report(Node node, ReconcileContext context) throws StorageException {
    List<String> missing = new ArrayList<>();
    for (ShareServer server : servers.all()) {
      missing.addAll(server.missingPackages(Optional.empty()));
    }
    Condition.Status holds =
        !servers.all().isEmpty() && missing.isEmpty()
            ? Condition.Status.TRUE
            : Condition.Status.FALSE;
    boolean never =
        Condition.find(node.status().conditions(), ShareManager.NODE_CONDITION).isEmpty();
    if (servers.all().isEmpty() && never) {
      return;
    }
    NodeStatus status =
        node.status()
            .withConditions(
                Condition.with(
                    node.status().conditions(),
                    ShareManager.NODE_CONDITION,
                    holds,
                    reason(missing),
                    message(missing),
                    context.clock().instant()));
    if (!status.equals(node.status())) {
      context.store().updateStatus(node.withStatus(status));
    }
  }

  private String reason(List<String> missing) {
    if (servers.all().isEmpty()) {
      return ShareReasons.SERVER_ABSENT;
    }
    return missing.isEmpty() ? ShareReasons.NODE_CAN_SERVE : ShareReasons.PACKAGES_MISSING;
  }

  private String message(List<String> missing) {
    if (servers.all().isEmpty()) {
      return "no server of shares is installed: install the feature of one";
    }
    return missing.isEmpty() ? "" : "apt-get install " + String.join(" ", missing);
  }

  /** Removes servers. Reads the store, because a cache may be older than the server. */
  private void sweep(ReconcileContext context) throws StorageException {
    for (ShareServer server : servers.all()) {
      for (ShareInstance instance : server.instances()) {
        Optional<ShareManager> share = context.store().get(ShareManager.KIND, instance.volume());
        if (share.filter(found -> isHere(found, context.nodeName())).isEmpty()) {
          LOG.info(
              "share {}: removing the server of epoch {}, which is superseded",
              instance.volume(),
              instance.epoch());
          server.expel(instance);
        }
      }
    }
  }

  /**
   * Returns whether this node has the share. The start of the next epoch removes a lower epoch on
   * this node.
   */
  private static boolean isHere(ShareManager share, String here) {
    return share.status().nodeID().equals(here);
  }
}
