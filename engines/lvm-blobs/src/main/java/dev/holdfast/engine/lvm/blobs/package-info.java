/**
 * Blobs in volume groups of LVM: created, copied, attached to a node as devices, grown and deleted.
 * Knows LVM and the device mapper, and nothing of volumes.
 */
@Export
@Version("0.1.0")
package dev.holdfast.engine.lvm.blobs;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
