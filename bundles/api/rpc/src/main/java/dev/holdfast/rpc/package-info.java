/**
 * Calls between nodes: gRPC over TLS with certificates on both sides. A bundle that serves calls
 * registers an {@code io.grpc.BindableService}; one that makes them uses {@link
 * dev.holdfast.rpc.NodeChannels}.
 */
@Export
@Version("0.1.0")
package dev.holdfast.rpc;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
