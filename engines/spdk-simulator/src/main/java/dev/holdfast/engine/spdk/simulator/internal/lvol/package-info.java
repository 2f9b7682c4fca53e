/**
 * Logical volume stores: clusters, thin volumes, snapshots, external snapshots and shallow copies.
 */
package dev.holdfast.engine.spdk.simulator.internal.lvol;
