/** The address and the port on which a share is served. */
package dev.holdfast.share.nfs.internal.address;
