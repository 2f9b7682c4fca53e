/** Requests to all members of a volume, and what happens when one of them fails. */
package dev.holdfast.engine.sparse.internal.members;
