/** Files of a replica directory, and the small records of state that change as a whole. */
package dev.holdfast.engine.sparse.internal.disk;
