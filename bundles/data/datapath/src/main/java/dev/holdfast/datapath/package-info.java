/** The volumes that are attached to this node, for the controllers of the platform. */
@Export
@Version("0.1.0")
package dev.holdfast.datapath;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
