/** Metrics of the bundles of a node, and the text that Prometheus scrapes. */
@Export
@Version("0.1.0")
package dev.holdfast.metrics;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
