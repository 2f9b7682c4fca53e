/** Records of replicas in the store, and of openings on this node. */
package dev.holdfast.engine.lvm.internal.replica;
