/** Causes for which requests to pools wait. */
@Export
@Version("0.1.0")
package dev.holdfast.engine.lvm.blobs.waits;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
