/** Findings about the health of a cluster, and health checks of bundles. */
@Export
@Version("0.1.0")
package dev.holdfast.health;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
