package dev.holdfast.engine.lvm.blobs;

import java.nio.file.Path;

/**
 * A blob as a device of a node.
 *
 * @param device its path on that node; stays the same while the blob is attached. Requests to it do
 *     not wait while the hosts' device is held, see {@link HostDevices}
 * @param sizeBytes size of the device
 */
public record AttachedBlob(Path device, long sizeBytes) {}
