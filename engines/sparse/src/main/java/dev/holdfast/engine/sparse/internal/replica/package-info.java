/**
 * One replica with its fencing, marks, epochs and identity, and the terms that engines and replicas
 * share.
 */
package dev.holdfast.engine.sparse.internal.replica;
