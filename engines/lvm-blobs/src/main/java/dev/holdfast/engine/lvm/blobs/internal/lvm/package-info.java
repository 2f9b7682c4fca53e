/** Volume groups and logical volumes of a host, by the programs of LVM. Knows no blobs. */
package dev.holdfast.engine.lvm.blobs.internal.lvm;
