/**
 * Volumes that several nodes serve: the one that has them open, and others that pass requests on.
 */
package dev.holdfast.engine.lvm.internal.forward;
