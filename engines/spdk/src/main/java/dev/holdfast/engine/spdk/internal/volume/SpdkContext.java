package dev.holdfast.engine.spdk.internal.volume;

import dev.holdfast.engine.spdk.internal.calls.Lvols;
import dev.holdfast.engine.spdk.internal.calls.SpdkMirrors;
import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.engine.spdk.internal.calls.TargetListener;
import dev.holdfast.engine.spdk.internal.data.Loopback;
import dev.holdfast.engine.spdk.internal.replica.SpdkReplicas;
import java.nio.file.Path;

/**
 * Parts that all volumes of a node share.
 *
 * @param target of this node, not null
 * @param lvols of the target, not null
 * @param raids of the target, not null
 * @param loopback the engine as a host of the target, not null
 * @param replicas on the disks of this node, not null
 * @param hosts where hosts reach the target, not null
 * @param hostName file with the NQN of this host, not null
 */
public record SpdkContext(
    SpdkTarget target,
    Lvols lvols,
    SpdkMirrors raids,
    Loopback loopback,
    SpdkReplicas replicas,
    TargetListener hosts,
    Path hostName) {}
