/** How backups are laid out on a target: reading, verifying and restoring them, without a node. */
@Export
@Version("0.1.0")
package dev.holdfast.backupstore;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
