/** Backups written by the real Longhorn, for tests of all modules. */
@Export
@Version("0.1.0")
package dev.holdfast.backupstore.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
