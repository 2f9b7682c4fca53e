/** Tickets that request the attachment of a volume. */
@Export
@Version("1.1.0")
package dev.holdfast.resource.attachment;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
