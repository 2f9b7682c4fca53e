/** The attacher for tickets of expansions. */
package dev.holdfast.attacher.volume.expansion.internal;
