/** Secrets in a directory of the node. */
@Export
@Version("0.1.0")
package dev.holdfast.secrets;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
