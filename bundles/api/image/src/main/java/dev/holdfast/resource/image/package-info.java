/** Backing images, the transfers that bring them in, and the managers of their files. */
@Export
@Version("0.1.0")
package dev.holdfast.resource.image;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
