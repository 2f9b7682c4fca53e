/** Support of all kits: failures that name their rule, and runs of planted plugins. */
@Export
@Version("0.1.0")
package dev.holdfast.rule.testkit;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
