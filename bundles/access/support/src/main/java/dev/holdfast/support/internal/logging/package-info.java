/** Levels of the loggers of a node. */
package dev.holdfast.support.internal.logging;
