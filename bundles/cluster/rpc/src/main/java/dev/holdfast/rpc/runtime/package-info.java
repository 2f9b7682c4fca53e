/**
 * Calls between nodes: gRPC over TLS with certificates on both sides. Plugins use the contracts in
 * {@link dev.holdfast.rpc} only.
 */
@Export
@Version("0.1.0")
package dev.holdfast.rpc.runtime;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
