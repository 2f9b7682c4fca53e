package dev.holdfast.engine.sparse.internal;

/**
 * Who a replica is. A copy that was wiped and made again is somebody else.
 *
 * @param id never used twice
 * @param volume whose bytes it holds
 * @param replica its name in the cluster
 */
record ReplicaIdentity(String id, String volume, String replica) {}
