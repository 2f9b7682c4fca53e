/** Copy of tokens, roles and bindings in memory, and the decisions by it. */
package dev.holdfast.authorization.internal;
