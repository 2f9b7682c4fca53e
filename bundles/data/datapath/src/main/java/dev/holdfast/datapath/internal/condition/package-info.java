/** Conditions of an Engine that say how its volume is served. */
package dev.holdfast.datapath.internal.condition;
