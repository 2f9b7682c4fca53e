/** Backups of backing images: one pool of blocks for all images of a target. */
@Export
@Version("0.1.0")
package dev.holdfast.backupstore.image;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
