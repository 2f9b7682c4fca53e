/** The block device, which engines provide, filters wrap and frontends serve. */
@Export
@Version("1.2.0")
package dev.holdfast.block;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
