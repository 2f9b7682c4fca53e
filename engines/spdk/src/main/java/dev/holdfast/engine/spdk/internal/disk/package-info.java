/** Disks of an SPDK target: whole devices, each with a store of logical volumes. */
package dev.holdfast.engine.spdk.internal.disk;
