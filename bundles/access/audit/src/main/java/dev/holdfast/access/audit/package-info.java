/** The files of the audit log and their reader. */
@Export
@Version("0.1.0")
package dev.holdfast.access.audit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
