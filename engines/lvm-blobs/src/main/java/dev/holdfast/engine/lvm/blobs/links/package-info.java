/** Exports of pools that are active on one node, and devices of other nodes that reach them. */
@Export
@Version("0.1.0")
package dev.holdfast.engine.lvm.blobs.links;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
