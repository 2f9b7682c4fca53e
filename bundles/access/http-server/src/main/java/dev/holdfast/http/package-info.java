/**
 * Contract between the HTTP server of a node and what it serves. It names no type of the library
 * that the server is made of; {@link dev.holdfast.http.netty} starts a server.
 */
@Export
@Version("0.1.0")
package dev.holdfast.http;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
