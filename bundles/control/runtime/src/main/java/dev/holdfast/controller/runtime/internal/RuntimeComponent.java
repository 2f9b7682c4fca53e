package dev.holdfast.controller.runtime.internal;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.ControllerStatistics;
import dev.holdfast.controller.runtime.ReconcilerTrouble;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.ThreadedTaskExecutor;
import dev.holdfast.metrics.BucketCounter;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import dev.holdfast.upgrade.PluginOrigin;
import dev.holdfast.upgrade.PluginOwners;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs every reconciler that is registered as a service, for as long as it is registered. A
 * reconciler whose name belongs to another bundle is refused, because both would write the same
 * resources: an attacher's reconciler removes tickets of its name that it does not demand.
 */
@Component(
    service = {RuntimeComponent.class, BundleTroubles.class},
    immediate = true)
public final class RuntimeComponent implements BundleTroubles {
  private static final String NODE_NAME = "holdfast.node.name";
  private static final String LATE_AFTER = "holdfast.controller.late.seconds";
  private static final String DEFAULT_NODE_NAME = "node-1";

  private static final Logger LOG = LoggerFactory.getLogger(RuntimeComponent.class);

  private final BundleContext context;
  private final PluginOwners<Reconciler<?>> owners;
  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("holdfast-controller");
  private final ControllerRuntime runtime;
  private final MeasuredStore measured;

  /**
   * Creates the component without reconcilers. They are added when their services are registered.
   */
  @Activate
  public RuntimeComponent(
      BundleContext bundle, @Reference ResourceStore store, @Reference KindCatalogue kinds) {
    this.context = bundle;
    this.owners =
        new PluginOwners<>(
            "controller",
            symbolicName ->
                Arrays.stream(bundle.getBundles())
                    .anyMatch(installed -> symbolicName.equals(installed.getSymbolicName())),
            Clock.systemUTC(),
            LOG::warn);
    String node = Optional.ofNullable(bundle.getProperty(NODE_NAME)).orElse(DEFAULT_NODE_NAME);
    measured = new MeasuredStore(store, System::nanoTime);
    runtime =
        new ControllerRuntime(
            measured,
            kinds,
            node,
            Clock.systemUTC(),
            tasks,
            new Random(),
            RuntimeSettings.DEFAULT.withLateAfter(lateAfter(bundle)));
  }

  private static Duration lateAfter(BundleContext bundle) {
    return Optional.ofNullable(bundle.getProperty(LATE_AFTER))
        .map(text -> Duration.ofSeconds(Long.parseLong(text)))
        .orElse(RuntimeSettings.DEFAULT.lateAfter());
  }

  @Reference(cardinality = ReferenceCardinality.MULTIPLE, policy = ReferencePolicy.DYNAMIC)
  void addReconciler(Reconciler<?> reconciler) {
    Bundle bundle = FrameworkUtil.getBundle(reconciler.getClass());
    PluginOrigin origin =
        new PluginOrigin(
            bundle.getBundleId(), bundle.getSymbolicName(), bundle.getVersion().toString());
    owners.add(reconciler, reconciler.name(), origin).forEach(runtime::remove);
    if (owners.admits(reconciler)) {
      runtime.add(reconciler, name(bundle));
    }
    if (!owners.admits(reconciler)) {
      // Another thread removed the reconciler after that.
      runtime.remove(reconciler);
    }
  }

  private static String name(Bundle bundle) {
    return bundle.getSymbolicName() + " " + bundle.getVersion();
  }

  @Override
  public List<BundleTrouble> troubles() {
    return Stream.concat(owners.troubles().stream(), runtime.troubles().stream().map(this::trouble))
        .toList();
  }

  private BundleTrouble trouble(ReconcilerTrouble found) {
    boolean ofVolume = found.kind().equals("Volume") || found.kind().equals("VolumeAttachment");
    return new BundleTrouble(
        found.hangs() ? BundleTrouble.Kind.HANGS : BundleTrouble.Kind.FAILS,
        found.since(),
        Arrays.stream(context.getBundles())
            .filter(bundle -> name(bundle).equals(found.origin()))
            .mapToLong(Bundle::getBundleId)
            .findFirst()
            .orElse(-1),
        found.origin(),
        ofVolume ? found.resource() : "",
        found.message() + " (" + found.kind() + " " + found.resource() + ")");
  }

  /** Returns the statistics of each reconciler, by its name. */
  Map<String, ControllerStatistics> statistics() {
    return runtime.statistics();
  }

  /** Returns the durations of requests to the store. */
  Map<MeasuredStore.Request, BucketCounter> storeTimes() {
    return measured.times();
  }

  void removeReconciler(Reconciler<?> reconciler) {
    owners.remove(reconciler);
    runtime.remove(reconciler);
  }

  @Deactivate
  void deactivate() {
    runtime.close();
    tasks.close();
  }
}
