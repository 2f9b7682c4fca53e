/** The node's certificate authority and server certificate, shared by all users of TLS. */
@Export
@Version("0.1.0")
package dev.holdfast.certificates;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
