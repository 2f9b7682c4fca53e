/** Contributions of plugins to the web page: tabs, columns, cards and forms of settings. */
@Export
@Version("0.1.0")
package dev.holdfast.page.contribution;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
