package dev.holdfast.engine.spdk.internal.replica;

import dev.holdfast.engine.ReplicaLocation;

/**
 * Subject and caller of a call about a replica of another node.
 *
 * @param location of the replica, not null
 * @param store on its disk, empty when the caller has not looked yet, not null
 * @param identity of the replica in the register, empty as the store, not null
 * @param token the opening that calls, not null
 */
public record LegKey(ReplicaLocation location, String store, String identity, LegToken token) {}
