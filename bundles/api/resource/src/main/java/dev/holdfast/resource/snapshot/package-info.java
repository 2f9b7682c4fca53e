/** Snapshots and the ranges that changed between them. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.snapshot;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
