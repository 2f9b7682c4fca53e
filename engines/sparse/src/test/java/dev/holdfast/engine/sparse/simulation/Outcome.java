package dev.holdfast.engine.sparse.simulation;

/**
 * Result of a simulation.
 *
 * @param trace a hash of everything in its order
 * @param acknowledged how many changes were acknowledged
 * @param openings how often an engine served
 * @param faults how many it met
 */
public record Outcome(long trace, long acknowledged, int openings, int faults) {}
