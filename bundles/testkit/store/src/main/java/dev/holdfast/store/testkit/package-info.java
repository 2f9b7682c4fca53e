/** The conformance kit of resource stores. */
@Export
@Version("0.1.0")
package dev.holdfast.store.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
