package dev.holdfast.datapath.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeReplicas;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** One life of a node's process: its data paths, with real threads. */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final LocalAttachedVolumes volumes;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RunningControllers controllers;

  RunningNode(ResourceStore store, Path data) {
    this(store, data, Clock.systemUTC());
  }

  RunningNode(ResourceStore store, Path data, Clock clock) {
    volumes =
        new LocalAttachedVolumes(
            plugins, threads, VolumeActivity.below(data), clock, VolumeResources.NODE);
    volumes.addStore(store);
    volumes.addPortal(portal);
    controllers = new RunningControllers(store, clock);
    controllers.add(new FakeReplicas(plugins::engine));
    controllers.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
    controllers.add(new OpenVolumeReconciler(volumes));
    controllers.add(new PlacementReconciler(volumes));
  }

  /** Stops cleanly, as when the container stops. */
  @Override
  public void close() {
    controllers.close();
    volumes.stop();
  }

  /** Stops all writes to the store and keeps open volumes open, as after a kill. */
  void kill() {
    controllers.close();
  }
}
