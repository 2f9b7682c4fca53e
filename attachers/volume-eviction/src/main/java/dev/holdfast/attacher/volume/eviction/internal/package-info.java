/** The attacher for tickets of evictions. */
package dev.holdfast.attacher.volume.eviction.internal;
