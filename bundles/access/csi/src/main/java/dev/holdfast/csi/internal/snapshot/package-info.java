/** The services of snapshots: single ones, groups, and the blocks in which snapshots differ. */
package dev.holdfast.csi.internal.snapshot;
