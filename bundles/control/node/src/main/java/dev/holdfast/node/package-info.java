/** The sources of first content, which other bundles register for the replicas of this node. */
@Export
@Version("0.1.0")
package dev.holdfast.node;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
