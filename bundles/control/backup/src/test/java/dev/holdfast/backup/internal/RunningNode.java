package dev.holdfast.backup.internal;

import dev.holdfast.backup.internal.standby.StandbyReconciler;
import dev.holdfast.datapath.InstalledPlugins;
import dev.holdfast.datapath.internal.EngineReconciler;
import dev.holdfast.datapath.internal.LocalAttachedVolumes;
import dev.holdfast.datapath.internal.OpenQueue;
import dev.holdfast.datapath.internal.OpenVolumeReconciler;
import dev.holdfast.datapath.internal.VolumeActivity;
import dev.holdfast.datapath.testkit.FakePortal;
import dev.holdfast.datapath.testkit.RunningControllers;
import dev.holdfast.datapath.testkit.VolumeResources;
import dev.holdfast.node.internal.NodeReconciler;
import dev.holdfast.node.internal.NodeSettings;
import dev.holdfast.node.internal.ReplicaContents;
import dev.holdfast.node.internal.ReplicaReconciler;
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
 * A node's process from start to end: its controllers, data path, snapshots and backups, with real
 * threads.
 */
final class RunningNode implements AutoCloseable {
  final InstalledPlugins plugins = new InstalledPlugins();
  final FakePortal portal = new FakePortal();
  final ClusterImages images = new ClusterImages();
  final LocalAttachedVolumes volumes;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final RunningControllers controllers;
  private final BackupExportReconciler exports;

  RunningNode(ResourceStore store, Path data, InstalledTargets targets) {
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
    contents.addSource(new BackupContentSource());
    controllers.add(new ReplicaReconciler(plugins, contents));
    controllers.add(new EngineReconciler(volumes, plugins, new OpenQueue(volumes, plugins)));
    controllers.add(new OpenVolumeReconciler(volumes));
    controllers.add(SnapshotReconciler.of(volumes, volume -> Optional.empty()));
    controllers.add(new SnapshotOwnerReconciler());
    controllers.add(new BackupTargetReconciler(targets, volumes));
    controllers.add(new BackupReconciler(targets, volumes));
    controllers.add(new BackupTransferReconciler(targets, volumes));
    exports = new BackupExportReconciler(targets, volumes);
    controllers.add(exports);
    controllers.add(new RestoreReconciler(targets, volumes));
    controllers.add(new RestoreCopyReconciler(targets, volumes, images));
    controllers.add(new StandbyReconciler(targets, volumes));
  }

  /** Stops cleanly, as at a stop of the container. */
  @Override
  public void close() {
    controllers.close();
    exports.close();
    volumes.stop();
  }
}
