/** The distribution as the container of Pax Exam tests. */
@Export
@Version("0.1.0")
package dev.holdfast.container.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
