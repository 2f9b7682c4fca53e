/** The attacher type of volumes that are restored lazily. */
package dev.holdfast.attacher.volume.content.internal;
