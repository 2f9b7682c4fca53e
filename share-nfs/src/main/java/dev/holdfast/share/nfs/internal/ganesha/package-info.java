/** NFS-Ganesha: its configuration, its processes and its control over D-Bus. */
package dev.holdfast.share.nfs.internal.ganesha;
