/** The TLS files of a node, for tools and tests that run outside of the container. */
@Export
@Version("0.1.0")
package dev.holdfast.certificates.files;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
