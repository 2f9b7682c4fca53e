package dev.holdfast.snapshot.internal;

import dev.holdfast.controller.Reconciler;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.internal.EngineReconciler;
import dev.holdfast.datapath.internal.LocalAttachedVolumes;
import dev.holdfast.datapath.internal.OpenQueue;
import dev.holdfast.datapath.internal.OpenVolumeReconciler;
import dev.holdfast.datapath.internal.VolumeActivity;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.FakeReplicas;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A node's process from start to end: its data path and its snapshots, with real threads. */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final LocalAttachedVolumes volumes;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RunningControllers controllers;

  RunningNode(ResourceStore store, Path data) {
    this(store, data, volume -> Optional.empty());
  }

  RunningNode(ResourceStore store, Path data, FreezeSession.Freezer freezer) {
    volumes =
        new LocalAttachedVolumes(
            plugins, threads, VolumeActivity.below(data), Clock.systemUTC(), VolumeResources.NODE);
    volumes.addStore(store);
    volumes.addPortal(portal);
    controllers = new RunningControllers(store, Clock.systemUTC());
    controllers.add(new FakeReplicas(plugins::engine));
    controllers.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
    controllers.add(new OpenVolumeReconciler(volumes));
    controllers.add(SnapshotReconciler.of(volumes, freezer));
    controllers.add(new SnapshotOwnerReconciler());
  }

  void add(Reconciler<?> reconciler) {
    controllers.add(reconciler);
  }

  /** Stops cleanly, as at a stop of the container. */
  @Override
  public void close() {
    controllers.close();
    volumes.stop();
  }
}
