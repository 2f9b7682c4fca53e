/** Membership of a cluster whose store is that of one node: tokens, certificates, credentials. */
@Export
@Version("0.1.0")
package dev.holdfast.cluster;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
