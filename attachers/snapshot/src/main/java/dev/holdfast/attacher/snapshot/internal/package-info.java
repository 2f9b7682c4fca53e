/** The attacher for tickets of snapshots. */
package dev.holdfast.attacher.snapshot.internal;
