/** The attacher type of volumes that are restored. */
package dev.holdfast.attacher.volume.restore.internal;
