/**
 * Contract between the HTTP server of a node and its handlers, independent of the server's library.
 * {@link dev.holdfast.http.netty} starts a server.
 */
@Export
@Version("0.1.0")
package dev.holdfast.http;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
