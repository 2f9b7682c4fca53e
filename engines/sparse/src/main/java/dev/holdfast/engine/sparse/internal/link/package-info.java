/** Replicas on other nodes as members: fencing, losing and regaining their connections. */
package dev.holdfast.engine.sparse.internal.link;
