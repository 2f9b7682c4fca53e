/** Archives of the resources of a cluster at a target. */
@Export
@Version("0.1.0")
package dev.holdfast.backupstore.system;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
