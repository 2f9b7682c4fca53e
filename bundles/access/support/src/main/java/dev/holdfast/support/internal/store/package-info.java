/** Copies of the store of this node. */
package dev.holdfast.support.internal.store;
