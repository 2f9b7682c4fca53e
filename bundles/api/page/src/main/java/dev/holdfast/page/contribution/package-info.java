/** Contributions of plugins to the web page: tabs of resources and cards of the overview. */
@Export
@Version("0.1.0")
package dev.holdfast.page.contribution;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
