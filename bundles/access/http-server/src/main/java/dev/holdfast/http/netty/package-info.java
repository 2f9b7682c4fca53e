/** Starts an HTTP server based on Netty. */
@Export
@Version("0.1.0")
package dev.holdfast.http.netty;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
