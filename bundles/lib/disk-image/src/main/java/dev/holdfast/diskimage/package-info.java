/** Reads disk images in the formats raw and qcow2 within limits, and copies their content. */
@Export
@Version("0.1.0")
package dev.holdfast.diskimage;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
