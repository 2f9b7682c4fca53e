/** Filters: block devices that wrap another one and change one property of it. */
@Export
@Version("0.1.0")
package dev.holdfast.block.filter;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
