/** One replica's snapshots and live head: reading, writing, coalescing and comparing layers. */
package dev.holdfast.engine.sparse.internal.chain;
