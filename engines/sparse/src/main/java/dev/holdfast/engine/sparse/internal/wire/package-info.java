/** Connections that transfer the bytes of requests to replicas on other nodes. */
package dev.holdfast.engine.sparse.internal.wire;
