package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.spdk.internal.calls.TargetListener;

/**
 * Address at which a volume of a replica is shown to the target of another node.
 *
 * @param nqn of the subsystem, not null
 * @param listener of the target that has the replica, not null
 */
public record LegShown(String nqn, TargetListener listener) {}
