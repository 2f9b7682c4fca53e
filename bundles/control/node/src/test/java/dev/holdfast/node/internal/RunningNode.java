package dev.holdfast.node.internal;

import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.internal.EngineReconciler;
import dev.holdfast.datapath.internal.LocalAttachedVolumes;
import dev.holdfast.datapath.internal.OpenQueue;
import dev.holdfast.datapath.internal.VolumeActivity;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A node's process from start to end: its controllers and its data path, with real threads. */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final LocalAttachedVolumes volumes;
  final ReplicaContents contents = new ReplicaContents();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RunningControllers controllers;

  RunningNode(ResourceStore store, Path data) {
    volumes =
        new LocalAttachedVolumes(
            plugins, threads, VolumeActivity.below(data), Clock.systemUTC(), VolumeResources.NODE);
    volumes.addStore(store);
    volumes.addPortal(portal);
    controllers = new RunningControllers(store, Clock.systemUTC());
    NodeSettings settings =
        NodeSettings.of(VolumeResources.NODE, data, "127.0.0.1", Map.of("nbd", 10809), 1, "0.1.0");
    controllers.add(new NodeReconciler(settings, plugins));
    controllers.add(new ReplicaReconciler(plugins, contents));
    controllers.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
  }

  /** Stops cleanly, as at a stop of the container. */
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
