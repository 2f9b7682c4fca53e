package dev.holdfast.engine.sparse.simulation;

/**
 * Result of a simulation.
 *
 * @param trace a hash of all events in their order
 * @param acknowledged number of acknowledged changes
 * @param openings number of openings that served
 * @param faults number of faults
 */
public record Outcome(long trace, long acknowledged, int openings, int faults) {}
