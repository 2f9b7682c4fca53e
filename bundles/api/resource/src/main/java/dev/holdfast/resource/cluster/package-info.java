/** Settings, events and leases of the cluster. */
@Export
@Version("1.0.0")
package dev.holdfast.resource.cluster;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
