/** Secrets of the platform, such as credentials of backup targets. */
@Export
@Version("0.1.0")
package dev.holdfast.secret;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
