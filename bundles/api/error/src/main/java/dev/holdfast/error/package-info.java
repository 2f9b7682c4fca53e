/** Error codes of all bundles, and the checked exception that carries them. */
@Export
@Version("1.0.0")
package dev.holdfast.error;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
