package dev.holdfast.clone.internal;

import dev.holdfast.controller.ReconcileContext;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.internal.EngineReconciler;
import dev.holdfast.datapath.internal.LocalAttachedVolumes;
import dev.holdfast.datapath.internal.OpenQueue;
import dev.holdfast.datapath.internal.OpenVolumeReconciler;
import dev.holdfast.datapath.internal.VolumeActivity;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.engine.EngineProvider;
import dev.holdfast.node.InitialContentSource;
import dev.holdfast.node.InitialContentState;
import dev.holdfast.node.internal.NodeReconciler;
import dev.holdfast.node.internal.NodeSettings;
import dev.holdfast.node.internal.ReplicaContents;
import dev.holdfast.node.internal.ReplicaReconciler;
import dev.holdfast.resource.volume.Replica;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.snapshot.internal.SnapshotOwnerReconciler;
import dev.holdfast.snapshot.internal.SnapshotReconciler;
import dev.holdfast.store.ResourceStore;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A node's process from start to end: its controllers, data path, snapshots and copies, with real
 * threads.
 */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final LocalAttachedVolumes volumes;
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
    ReplicaContents contents = new ReplicaContents();
    contents.addSource(new CloneContentSource());
    contents.addSource(new EmptyImages());
    controllers.add(new ReplicaReconciler(plugins, contents));
    controllers.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
    controllers.add(new OpenVolumeReconciler(volumes));
    controllers.add(SnapshotReconciler.of(volumes, volume -> Optional.empty()));
    controllers.add(new SnapshotOwnerReconciler());
    controllers.add(new CloneReconciler());
    controllers.add(new CloneCopyReconciler(volumes));
  }

  /** Stops cleanly, as at a stop of the container. */
  @Override
  public void close() {
    controllers.close();
    volumes.stop();
  }

  /** Creates empty replicas on images, because these tests do not read their content. */
  private static final class EmptyImages implements InitialContentSource {
    @Override
    public boolean supplies(Volume volume) {
      return !volume.spec().backingImage().isEmpty() && !volume.awaitsContent();
    }

    @Override
    public InitialContentState provide(
        Volume volume,
        Replica replica,
        EngineProvider engine,
        boolean made,
        ReconcileContext context) {
      return new InitialContentState.Later();
    }
  }
}
