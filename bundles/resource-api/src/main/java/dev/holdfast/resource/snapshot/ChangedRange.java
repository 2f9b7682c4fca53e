package dev.holdfast.resource;

/**
 * A part of a snapshot.
 *
 * @param offset first byte
 * @param length in bytes
 */
public record ChangedRange(long offset, long length) {}
