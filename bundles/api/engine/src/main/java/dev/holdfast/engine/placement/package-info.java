/** Volumes whose disk one node uses for all nodes. */
@Export
@Version("1.0.0")
package dev.holdfast.engine.placement;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
