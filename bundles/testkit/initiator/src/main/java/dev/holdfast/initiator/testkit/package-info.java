/** The conformance kit for initiators. */
@Export
@Version("1.0.0")
package dev.holdfast.initiator.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
