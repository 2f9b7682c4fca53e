/** Identifies access tokens and decides requests by roles, from a copy of the store in memory. */
@Export
@Version("0.1.0")
package dev.holdfast.authorization;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
