package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.calls.AllocatedClusters;
import dev.holdfast.engine.spdk.internal.calls.KeyFiles;
import dev.holdfast.engine.spdk.internal.calls.LegControllers;
import dev.holdfast.engine.spdk.internal.calls.SpdkMirrors;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.replica.LegNodes;
import dev.holdfast.engine.spdk.internal.replica.LegService;
import dev.holdfast.engine.spdk.internal.replica.SpdkReplicas;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Parts that all volumes of a node share.
 *
 * @param target of this node, not null
 * @param raids of the target, not null
 * @param loopback the engine as a host of the target, not null
 * @param replicas on the disks of this node, not null
 * @param controllers of the target, not null
 * @param nodes the other nodes, not null
 * @param service replicas of this node for the other nodes, not null
 * @param hosts where hosts reach the target, not null
 * @param patience how long a leg on another node may be away before it is given up, not null
 * @param hostName file with the NQN of this host, not null
 * @param keys of hosts, with their files, not null
 * @param clusters finds the clusters of snapshots, not null
 * @param restorations runs restorations of volumes, not null
 */
public record SpdkContext(
    SpdkTarget target,
    SpdkMirrors raids,
    Loopback loopback,
    SpdkReplicas replicas,
    LegControllers controllers,
    LegNodes nodes,
    LegService service,
    TargetListener hosts,
    Duration patience,
    Path hostName,
    KeyFiles keys,
    AllocatedClusters clusters,
    ScheduledExecutorService restorations) {}
