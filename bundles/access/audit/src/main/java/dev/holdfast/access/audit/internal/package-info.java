/** Writes the audit log of a node. */
package dev.holdfast.access.audit.internal;
