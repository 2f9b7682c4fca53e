package dev.holdfast.engine;

/**
 * State of a replica.
 *
 * @param sizeBytes of the volume it belongs to
 * @param usedBytes on its disk
 * @param clean whether it was closed in order
 */
public record ReplicaInfo(long sizeBytes, long usedBytes, boolean clean) {}
