/** The attacher type of volumes that are exported into backing images. */
package dev.holdfast.attacher.backing.image.data.source.internal;
