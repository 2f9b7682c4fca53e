package dev.holdfast.shell.internal;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.cluster.ClusterAccess;
import dev.holdfast.commands.verbs.Omission;
import dev.holdfast.commands.verbs.VerbGroup;
import dev.holdfast.health.HealthReport;
import dev.holdfast.initiator.InitiatorProvider;
import dev.holdfast.store.ResourceStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.karaf.shell.api.console.Registry;
import org.apache.karaf.shell.api.console.Session;
import org.apache.karaf.shell.api.console.SessionFactory;
import org.osgi.framework.BundleContext;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.osgi.service.component.annotations.ReferencePolicyOption;

/**
 * Registers the table of verbs in the Karaf shell while this node's store is present. Initiators,
 * backup targets and the membership service are dynamic; a command uses the present ones.
 */
@Component(service = ShellCommands.class, immediate = true)
public final class ShellCommands {
  /** Verbs and options that the Karaf shell omits. */
  static final List<Omission> OMISSIONS =
      List.of(
          Omission.of("node join", "it makes the data directory before a node runs on it"),
          Omission.of("check", "it is for a host, also before a node runs there"),
          Omission.of("image upload", "it sends a file of the terminal's host to the API"),
          Omission.of("image download", "it makes a file on the terminal's host"),
          Omission.of("support-bundle", "it makes a file on the terminal's host"),
          Omission.of("secret set", "a session shows what is typed, and keeps it in its history"),
          Omission.of("kubeconfig", "it prints a path for kubectl, which runs in a terminal"));

  private final BundleContext framework;
  private final Registry registry;
  private final ResourceStore store;
  private final List<InitiatorProvider> initiators = new CopyOnWriteArrayList<>();
  private final List<BackupTargetProvider> targets = new CopyOnWriteArrayList<>();
  private final AtomicReference<ClusterAccess> cluster = new AtomicReference<>();
  private final AtomicReference<HealthReport> health = new AtomicReference<>();
  private final List<ShellVerb> commands;

  /** Creates the commands for a store. */
  @Activate
  public ShellCommands(
      BundleContext framework,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) SessionFactory shell,
      @Reference(policyOption = ReferencePolicyOption.GREEDY) ResourceStore store) {
    this.framework = framework;
    this.registry = shell.getRegistry();
    this.store = store;
    this.commands =
        VerbGroup.allVerbs().stream()
            .flatMap(verb -> Omission.applied(OMISSIONS, verb).stream())
            .map(verb -> new ShellVerb(verb, this::context, new StoreWords(store)))
            .toList();
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addInitiators(InitiatorProvider provider) {
    initiators.add(provider);
  }

  void removeInitiators(InitiatorProvider provider) {
    initiators.remove(provider);
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addBackupTargets(BackupTargetProvider provider) {
    targets.add(provider);
  }

  void removeBackupTargets(BackupTargetProvider provider) {
    targets.remove(provider);
  }

  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void setCluster(ClusterAccess service) {
    cluster.set(service);
  }

  void unsetCluster(ClusterAccess service) {
    cluster.compareAndSet(service, null);
  }

  @Reference(cardinality = ReferenceCardinality.OPTIONAL, policy = ReferencePolicy.DYNAMIC)
  void setHealth(HealthReport service) {
    health.set(service);
  }

  void unsetHealth(HealthReport service) {
    health.compareAndSet(service, null);
  }

  @Activate
  void register() {
    commands.forEach(registry::register);
  }

  @Deactivate
  void unregister() {
    commands.forEach(registry::unregister);
  }

  private ShellContext context(Session session) {
    return new ShellContext(
        new ShellServices(
            store,
            initiators,
            targets,
            Optional.ofNullable(cluster.get()),
            Optional.ofNullable(health.get())),
        framework,
        session);
  }
}
