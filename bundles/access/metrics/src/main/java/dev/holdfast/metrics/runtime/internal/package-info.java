/** The series of all bundles of a node, and the document {@code /metrics}. */
package dev.holdfast.metrics.runtime.internal;
