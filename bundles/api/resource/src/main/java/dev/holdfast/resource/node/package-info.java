/** Nodes and their disks. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.node;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
