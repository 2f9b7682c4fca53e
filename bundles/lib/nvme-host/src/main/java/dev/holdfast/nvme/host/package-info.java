/** Hosts of NVMe over TCP: a namespace of any target as a device of this process. */
@Export
@Version("1.1.0")
package dev.holdfast.nvme.host;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
