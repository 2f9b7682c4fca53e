/** Records that the nodes of one engine share, kept in any store. */
@Export
@Version("0.1.0")
package dev.holdfast.store.records;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
