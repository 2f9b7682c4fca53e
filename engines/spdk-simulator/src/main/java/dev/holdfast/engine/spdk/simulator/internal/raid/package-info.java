/** Mirrors over several devices, as limited as those of a stock SPDK. */
package dev.holdfast.engine.spdk.simulator.internal.raid;
