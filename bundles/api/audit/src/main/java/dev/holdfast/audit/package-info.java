/** Records which user did what. */
@Export
@Version("0.1.0")
package dev.holdfast.audit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
