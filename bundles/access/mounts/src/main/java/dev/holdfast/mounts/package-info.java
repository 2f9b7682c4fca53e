/** Mounts and disk images of this host for users of volumes. */
@Export
@Version("0.1.0")
package dev.holdfast.mounts;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
