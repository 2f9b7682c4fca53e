package dev.holdfast.controller.runtime.internal;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.ThreadedTaskExecutor;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
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
@Component(service = RuntimeComponent.class, immediate = true)
public final class RuntimeComponent {
  private static final String NODE_NAME = "holdfast.node.name";
  private static final String LATE_AFTER = "holdfast.controller.late.seconds";
  private static final String DEFAULT_NODE_NAME = "node-1";

  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("holdfast-controller");
  private final ControllerRuntime runtime;

  /** Starts without reconcilers; they are added as their services come. */
  @Activate
  public RuntimeComponent(BundleContext bundle, @Reference ResourceStore store) {
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
    runtime.add(
        reconciler,
        bundle == null
            ? reconciler.getClass().getName()
            : bundle.getSymbolicName() + " " + bundle.getVersion());
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
