/** The kinds of backups, backup targets and recurring jobs. */
@Export
@Version("0.1.0")
package dev.holdfast.resource.backup;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
