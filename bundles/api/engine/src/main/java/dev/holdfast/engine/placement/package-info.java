/** Volumes whose disk one active node uses on behalf of all nodes. */
@Export
@Version("1.0.0")
package dev.holdfast.engine.placement;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
