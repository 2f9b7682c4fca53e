/** Operations on a host: programs, files, filesystems, mounts, encryption, device mapper. */
@Export
@Version("1.2.0")
package dev.holdfast.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
