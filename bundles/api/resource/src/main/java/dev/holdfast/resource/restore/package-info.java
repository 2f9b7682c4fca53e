/** Modes and states of restores from backups. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.restore;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
