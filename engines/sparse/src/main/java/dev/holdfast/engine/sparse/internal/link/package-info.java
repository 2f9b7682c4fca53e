/** Replicas on other nodes as members: fencing them, and losing and restoring their connections. */
package dev.holdfast.engine.sparse.internal.link;
