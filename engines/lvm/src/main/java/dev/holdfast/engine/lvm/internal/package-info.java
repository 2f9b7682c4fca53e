/** The LVM engine: volumes as blobs of volume groups, and their exports as devices of the host. */
package dev.holdfast.engine.lvm.internal;
