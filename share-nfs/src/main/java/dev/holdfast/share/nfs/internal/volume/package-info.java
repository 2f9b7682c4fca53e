/** The way from a volume to the folder that is exported, and back. */
package dev.holdfast.share.nfs.internal.volume;
