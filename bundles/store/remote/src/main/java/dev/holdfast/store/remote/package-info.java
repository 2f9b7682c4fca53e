/** A resource store behind an API server. */
@Export
@Version("0.1.0")
package dev.holdfast.store.remote;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
