/** Image sources: plugins that deliver the bytes of backing images. */
@Export
@Version("0.1.0")
package dev.holdfast.imagesource;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
