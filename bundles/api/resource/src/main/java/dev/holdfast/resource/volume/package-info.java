/** Volumes, their engines and replicas. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.volume;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
