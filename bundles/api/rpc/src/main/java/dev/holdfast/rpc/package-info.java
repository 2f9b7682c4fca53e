/**
 * Calls between the nodes of a cluster: gRPC over TLS with certificates on both sides. A bundle
 * that serves calls registers an {@code io.grpc.BindableService}; one that makes them uses {@link
 * dev.holdfast.rpc.NodeChannels}.
 *
 * <p>The certificates authenticate the nodes, but not the subject of a request. Each request
 * therefore names its subject, such as volume, replica and session, and the server rejects a
 * subject that it does not serve.
 */
@Export
@Version("1.1.0")
package dev.holdfast.rpc;

import org.osgi.annotation.bundle.Export;
import org.osgi.annotation.versioning.Version;
