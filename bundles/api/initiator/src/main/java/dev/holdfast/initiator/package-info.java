/** Initiators: what makes a device of this host from a volume's endpoint. */
@Export
@Version("2.1.0")
package dev.holdfast.initiator;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
