/** Series that the bundles of a node measure, and the text of which Prometheus scrapes. */
@Export
@Version("0.1.0")
package dev.holdfast.metrics;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
