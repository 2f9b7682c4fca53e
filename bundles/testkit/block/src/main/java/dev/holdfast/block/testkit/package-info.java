/** The conformance kit for block devices. */
@Export
@Version("0.1.0")
package dev.holdfast.block.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
