package dev.holdfast.controller.runtime;

/**
 * Work of a reconciler since it was added.
 *
 * @param active whether it runs here: always for scope NODE, else while its lease is held
 * @param steps steps that ended well
 * @param failures steps that failed, conflicts not counted
 * @param conflicts steps that met a newer version
 * @param waiting names that wait for a worker now
 */
public record ControllerStatistics(
    boolean active, long steps, long failures, long conflicts, int waiting) {}
