/** Replaces bundles while volumes are in use. Nothing of this package is exported. */
package dev.holdfast.upgrader.internal;
