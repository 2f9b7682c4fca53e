/** The conformance kit for engines, and the fakes it needs. */
@Export
@Version("0.1.0")
package dev.holdfast.engine.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
