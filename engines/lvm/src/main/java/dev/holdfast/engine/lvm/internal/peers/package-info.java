/** Calls to and from the other nodes of a shared volume group. */
package dev.holdfast.engine.lvm.internal.peers;
