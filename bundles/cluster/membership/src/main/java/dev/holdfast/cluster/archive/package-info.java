/**
 * Archives of the control plane of a cluster: written from a data directory and restored into one.
 */
@Export
@Version("0.1.0")
package dev.holdfast.cluster.archive;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
