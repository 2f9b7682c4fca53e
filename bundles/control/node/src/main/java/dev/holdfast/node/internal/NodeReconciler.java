package dev.holdfast.node.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.Result;
import dev.holdfast.controller.Scope;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.resource.Condition;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.node.Node;
import dev.holdfast.resource.node.NodeStatus;
import dev.holdfast.store.LabelSelector;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/** Reports the observed state of this node and its disks. */
@Component(service = Reconciler.class, enabled = false)
public final class NodeReconciler implements Reconciler<Node> {
  private static final Duration PERIOD = Duration.ofSeconds(10);

  /** Two services report the plugins in any order, so a report waits for both. */
  private static final Duration SOON = Duration.ofMillis(200);

  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  private final NodeSettings settings;
  private final InstalledPlugins plugins;
  private final Set<String> engines;
  private final Set<String> frontends;

  /**
   * Creates the reconciler of a running bundle.
   *
   * @param engines the installed engines; a change registers this reconciler again, so that the
   *     node reports it at once
   * @param frontends the installed frontends, likewise
   */
  @Activate
  public NodeReconciler(
      BundleContext bundle,
      @Reference InstalledPlugins plugins,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<EngineProvider> engines,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) List<FrontendProvider> frontends) {
    this(
        NodeSettings.from(bundle::getProperty, bundle.getBundle().getVersion().toString()),
        plugins,
        engines.stream().map(EngineProvider::name).collect(Collectors.toSet()),
        frontends.stream().map(FrontendProvider::name).collect(Collectors.toSet()));
  }

  public NodeReconciler(NodeSettings settings, InstalledPlugins plugins) {
    this(settings, plugins, Set.of(), Set.of());
  }

  private NodeReconciler(
      NodeSettings settings, InstalledPlugins plugins, Set<String> engines, Set<String> frontends) {
    this.settings = settings;
    this.plugins = plugins;
    this.engines = engines;
    this.frontends = frontends;
  }

  @Override
  public String name() {
    return "node";
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
  public Result reconcile(String name, ReconcileContext context) throws StorageException {
    Optional<Node> found = context.get(Node.KIND, name);
    if (!name.equals(context.nodeName()) || found.isEmpty()) {
      return Result.DONE;
    }
    Node node = found.get();
    NodeStatus observed = observe(node, context);
    if (!observed.equals(node.status())) {
      context.store().updateStatus(node.withStatus(observed));
    }
    boolean complete =
        observed.engines().containsAll(engines) && observed.frontends().containsAll(frontends);
    return Result.after(complete ? PERIOD : SOON);
  }

  private NodeStatus observe(Node node, ReconcileContext context) {
    Instant now = context.clock().instant();
    return new NodeStatus(
        settings.address(),
        new TreeMap<>(settings.ports()),
        settings.version(),
        bootId(),
        plugins.engineNames(),
        plugins.frontendNames(),
        new NodeDisks(plugins, node).observe(context.list(Node.KIND, LabelSelector.ALL), now),
        Condition.with(
            node.status().conditions(),
            NodeLiveness.READY,
            Condition.Status.TRUE,
            "NodeReady",
            "",
            now),
        plugins.engineCapabilities(),
        EngineDeclarations.options(plugins),
        EngineDeclarations.disks(plugins),
        plugins.nativeProtocols());
  }

  private static String bootId() {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      // Without the boot id in the kernel, a restart of the machine looks like one of the process.
      return "";
    }
  }
}
