/**
 * Locks of shared volume groups: what a node lacks to take part, and who holds a lock until when.
 */
@Export
@Version("0.1.0")
package dev.holdfast.engine.lvm.blobs.locks;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
