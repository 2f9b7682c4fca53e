/** Conditions of an Engine about how its volume is served. */
package dev.holdfast.datapath.internal.condition;
