/** The layouts of backups at a target behind one door. */
@Export
@Version("0.1.0")
package dev.holdfast.backupstore.layout;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
