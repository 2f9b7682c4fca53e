/** Replicas on the disks of the target: logical volumes and the records that describe them. */
package dev.holdfast.engine.spdk.internal.replica;
