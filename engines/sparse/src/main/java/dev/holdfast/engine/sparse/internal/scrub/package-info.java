/** Scrubbing: comparison of snapshots with their checksums and between replicas, and repair. */
package dev.holdfast.engine.sparse.internal.scrub;
