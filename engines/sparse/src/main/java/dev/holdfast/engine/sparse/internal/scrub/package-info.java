/** Scrubbing: snapshots compared with their checksums and between replicas, and put right. */
package dev.holdfast.engine.sparse.internal.scrub;
