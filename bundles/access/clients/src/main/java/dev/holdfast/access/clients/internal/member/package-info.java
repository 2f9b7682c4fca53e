/** Secrets of the kernels of other nodes, which use volumes that this node serves. */
package dev.holdfast.access.clients.internal.member;
