/** Devices of the kernel's NBD client, by netlink. Knows no blobs. */
package dev.holdfast.engine.lvm.blobs.internal.links;
