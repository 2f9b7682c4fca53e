package dev.holdfast.resource.snapshot;

/**
 * A part of a snapshot.
 *
 * @param offset first byte
 * @param length in bytes
 */
public record ChangedRange(long offset, long length) {}
