/** Times at which cron expressions are due in a time zone. */
@Export
@Version("0.1.0")
package dev.holdfast.schedule;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
