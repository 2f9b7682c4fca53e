/** The attacher for tickets of rebuilds. */
package dev.holdfast.attacher.volume.rebuilding.internal;
