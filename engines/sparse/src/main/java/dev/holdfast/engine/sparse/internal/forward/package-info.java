/** Volumes that another node has open, served here by forwarding requests. */
package dev.holdfast.engine.sparse.internal.forward;
