/** The audit log, which records the requests of each user. */
@Export
@Version("0.1.0")
package dev.holdfast.audit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
