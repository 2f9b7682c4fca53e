package dev.holdfast.node.internal;

import dev.holdfast.controller.runtime.ControllerRuntime;
import dev.holdfast.controller.runtime.RuntimeSettings;
import dev.holdfast.controller.runtime.ThreadedTaskExecutor;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One life of a node's process: its runtime and reconcilers, with real threads. */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final LocalAttachedVolumes volumes;
  private final ThreadedTaskExecutor tasks = new ThreadedTaskExecutor("test");
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final ControllerRuntime runtime;

  RunningNode(ResourceStore store, Path data) {
    this(store, data, Clock.systemUTC());
  }

  RunningNode(ResourceStore store, Path data, Clock clock) {
    this(store, data, clock, volume -> Optional.empty());
  }

  RunningNode(ResourceStore store, Path data, Clock clock, FreezeSession.Freezer freezer) {
    volumes =
        new LocalAttachedVolumes(plugins, threads, threads::shutdown, VolumeActivity.below(data));
    volumes.addPortal(portal);
    ReplicaContents contents = new ReplicaContents();
    contents.addSource(new CloneContentSource());
    runtime =
        new ControllerRuntime(
            store,
            KindCatalogue.load(),
            Resources.NODE,
            clock,
            tasks,
            new Random(1),
            RuntimeSettings.DEFAULT);
    NodeSettings settings =
        new NodeSettings(Resources.NODE, data, "127.0.0.1", Map.of("nbd", 10809), 1, "0.1.0");
    runtime.add(new NodeReconciler(settings, plugins));
    runtime.add(new ReplicaReconciler(plugins, contents));
    runtime.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
    runtime.add(new SnapshotReconciler(volumes, freezer));
    runtime.add(new SnapshotOwnerReconciler());
    runtime.add(new OpenVolumeReconciler(volumes));
    runtime.add(new CloneReconciler());
    runtime.add(new CloneCopyReconciler(volumes));
  }

  /** Stops in order, as when the container stops. */
  @Override
  public void close() {
    runtime.close();
    volumes.stop();
    tasks.close();
  }

  /** Stops telling the store anything; what was open stays as it is, as after a kill. */
  void kill() {
    runtime.close();
    tasks.close();
  }
}
