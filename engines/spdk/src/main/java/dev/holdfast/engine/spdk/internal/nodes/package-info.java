/** Calls about replicas between nodes, over gRPC with mutual TLS. */
package dev.holdfast.engine.spdk.internal.nodes;
