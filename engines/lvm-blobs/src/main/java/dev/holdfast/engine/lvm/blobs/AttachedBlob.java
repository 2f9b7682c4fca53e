package dev.holdfast.engine.lvm.blobs;

import java.nio.file.Path;

/**
 * A blob as a device of a node.
 *
 * @param device its path on that node; stays the same while the blob is attached
 * @param sizeBytes size of the device
 */
public record AttachedBlob(Path device, long sizeBytes) {}
