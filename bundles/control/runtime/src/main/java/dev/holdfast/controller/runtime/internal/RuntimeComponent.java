package dev.holdfast.controller.runtime.internal;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.ReconcilerTrouble;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.ThreadedTaskExecutor;
import dev.holdfast.store.ResourceStore;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.BundleTroubles;
import java.time.Clock;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.osgi.framework.Bundle;
import org.osgi.framework.BundleContext;
import org.osgi.framework.FrameworkUtil;
import org.osgi.service.component.annotations.Activate;
import org.osgi.service.component.annotations.Component;
import org.osgi.service.component.annotations.Deactivate;
import org.osgi.service.component.annotations.Reference;
import org.osgi.service.component.annotations.ReferenceCardinality;
import org.osgi.service.component.annotations.ReferencePolicy;

/** Runs every reconciler that is registered as a service, for as long as it is registered. */
@Component(
    service = {RuntimeComponent.class, BundleTroubles.class},
    immediate = true)
public final class RuntimeComponent implements BundleTroubles {
  private static final String NODE_NAME = "holdfast.node.name";
  private static final String LATE_AFTER = "holdfast.controller.late.seconds";
  private static final String DEFAULT_NODE_NAME = "node-1";

  private final BundleContext context;
  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("holdfast-controller");
  private final ControllerRuntime runtime;

  /** Starts without reconcilers; they are added as their services come. */
  @Activate
  public RuntimeComponent(BundleContext bundle, @Reference ResourceStore store) {
    this.context = bundle;
    String node = Optional.ofNullable(bundle.getProperty(NODE_NAME)).orElse(DEFAULT_NODE_NAME);
    runtime =
        new ControllerRuntime(
            store,
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
    runtime.add(reconciler, bundle == null ? reconciler.getClass().getName() : name(bundle));
  }

  private static String name(Bundle bundle) {
    return bundle.getSymbolicName() + " " + bundle.getVersion();
  }

  @Override
  public List<BundleTrouble> troubles() {
    return runtime.troubles().stream().map(this::trouble).toList();
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

  void removeReconciler(Reconciler<?> reconciler) {
    runtime.remove(reconciler);
  }

  @Deactivate
  void deactivate() {
    runtime.close();
    tasks.close();
  }
}
