package dev.holdfast.controller.runtime;

import java.time.Instant;

/**
 * A reconciler that hangs, or repeatedly fails by a defect.
 *
 * @param hangs whether its step does not end; else it fails
 * @param since time of the detection
 * @param reconciler its name
 * @param origin the bundle of the reconciler
 * @param kind of the resource
 * @param resource the name of the resource of its step
 * @param message description for users
 */
public record ReconcilerTrouble(
    boolean hangs,
    Instant since,
    String reconciler,
    String origin,
    String kind,
    String resource,
    String message) {}
