/** Conformance kit for contributions to the web page. */
@Export
@Version("0.1.0")
package dev.holdfast.page.contribution.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
