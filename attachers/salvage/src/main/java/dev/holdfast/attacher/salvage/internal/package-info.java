/** The attacher for tickets of salvage. */
package dev.holdfast.attacher.salvage.internal;
