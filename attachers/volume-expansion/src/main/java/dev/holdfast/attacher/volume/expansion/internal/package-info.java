/** The attacher type of api tickets. */
package dev.holdfast.attacher.volume.expansion.internal;
