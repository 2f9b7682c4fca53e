/** The driver {@code csi.holdfast.dev}: CSI calls become changes to resources. */
package dev.holdfast.csi.internal;
