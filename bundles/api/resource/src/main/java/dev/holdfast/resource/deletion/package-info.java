/** Deleted volumes, whose content is retained for a time. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.deletion;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
