/** Conformance kits for attachers. */
@Export
@Version("0.1.0")
package dev.holdfast.attacher.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
