/** The service that other nodes' engines call for the replicas of this node. */
package dev.holdfast.engine.sparse.internal.serve;
