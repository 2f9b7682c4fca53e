/** Initiators, which create devices of this host from endpoints of volumes. */
@Export
@Version("2.1.0")
package dev.holdfast.initiator;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
