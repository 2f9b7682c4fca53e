/** The attacher type of copies of volumes. */
package dev.holdfast.attacher.volume.clone.internal;
