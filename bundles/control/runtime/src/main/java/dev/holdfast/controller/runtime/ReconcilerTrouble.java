package dev.holdfast.controller.runtime;

import java.time.Instant;

/**
 * A reconciler that hangs, or fails by a defect again and again.
 *
 * @param hangs whether its step does not end; else it fails
 * @param since when it was found
 * @param reconciler its name
 * @param origin the bundle that it is of
 * @param kind of the resource
 * @param resource the name of the resource that it works on
 * @param message what it does, for a person
 */
public record ReconcilerTrouble(
    boolean hangs,
    Instant since,
    String reconciler,
    String origin,
    String kind,
    String resource,
    String message) {}
