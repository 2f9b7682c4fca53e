/**
 * The driver {@code csi.holdfast.dev}: the component that starts its services.
 *
 * <p>This package uses those below it, in this order: {@code node}, {@code controller}, {@code
 * snapshot}, {@code server}. A package uses only packages after it.
 */
package dev.holdfast.csi.internal;
