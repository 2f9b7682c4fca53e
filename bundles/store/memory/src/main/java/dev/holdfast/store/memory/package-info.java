/** A resource store in memory, and faults for tests of its users. */
@Export
@Version("0.1.0")
package dev.holdfast.store.memory;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
