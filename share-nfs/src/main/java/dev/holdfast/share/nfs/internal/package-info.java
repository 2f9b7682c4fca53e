/** Shares over NFS: serves volumes of this node with NFS-Ganesha. */
package dev.holdfast.share.nfs.internal;
