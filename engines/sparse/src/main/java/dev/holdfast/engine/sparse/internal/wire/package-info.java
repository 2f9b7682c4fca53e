/** Connections that carry the bytes of requests to replicas on other nodes. */
package dev.holdfast.engine.sparse.internal.wire;
