/** A host with volume groups of LVM in memory, and records in memory, for tests. */
@Export
@Version("0.1.0")
package dev.holdfast.lvm.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
