/** Requests to all members of a volume, and the handling of failed members. */
package dev.holdfast.engine.sparse.internal.members;
