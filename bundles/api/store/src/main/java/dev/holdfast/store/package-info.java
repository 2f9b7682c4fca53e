/** The resource store, with optimistic concurrency and gapless watches. */
@Export
@Version("1.4.0")
package dev.holdfast.store;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
