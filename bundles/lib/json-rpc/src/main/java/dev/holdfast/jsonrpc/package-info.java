/** JSON-RPC 2.0 over UNIX sockets: a client for control sockets of programs on this machine. */
@Export
@Version("1.0.0")
package dev.holdfast.jsonrpc;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
