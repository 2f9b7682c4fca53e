package dev.holdfast.engine;

/**
 * State of a replica.
 *
 * @param sizeBytes size of its volume
 * @param usedBytes allocated space on its disk
 * @param clean whether its last opening was closed cleanly
 */
public record ReplicaInfo(long sizeBytes, long usedBytes, boolean clean) {}
