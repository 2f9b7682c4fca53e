package dev.holdfast.datapath.testkit;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.ThreadedTaskExecutor;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.util.Random;

/** The controller runtime of one node, with real threads. */
public final class RunningControllers implements AutoCloseable {
  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("test");
  private final ControllerRuntime runtime;

  /** Starts the runtime of the node {@link VolumeResources#NODE}. */
  public RunningControllers(ResourceStore store, Clock clock) {
    runtime =
        new ControllerRuntime(
            store,
            KindCatalogue.load(),
            VolumeResources.NODE,
            clock,
            tasks,
            new Random(1),
            RuntimeSettings.DEFAULT);
  }

  /** Starts a reconciler. */
  public void add(Reconciler<?> reconciler) {
    runtime.add(reconciler);
  }

  /** Stops all reconcilers; returns after the last one has ended. */
  @Override
  public void close() {
    runtime.close();
    tasks.close();
  }
}
