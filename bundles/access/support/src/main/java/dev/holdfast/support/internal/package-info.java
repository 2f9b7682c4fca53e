/** Checks of the cluster's health. */
package dev.holdfast.support.internal;
