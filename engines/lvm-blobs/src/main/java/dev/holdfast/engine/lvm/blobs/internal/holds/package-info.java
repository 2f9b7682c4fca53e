/** Guards of devices whose requests wait. */
package dev.holdfast.engine.lvm.blobs.internal.holds;
