/** The constants of the NBD protocol, shared by its clients and servers. */
@Export
@Version("0.2.0")
package dev.holdfast.nbd;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
