/** Backup targets: the contract between the platform and plugins for backup targets. */
@Export
@Version("1.0.0")
package dev.holdfast.backuptarget;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
