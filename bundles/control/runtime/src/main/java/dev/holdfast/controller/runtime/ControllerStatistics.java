package dev.holdfast.controller.runtime;

import dev.holdfast.metrics.BucketCounts;

/**
 * Work of a reconciler since it was added.
 *
 * @param active whether it runs here: always for scope NODE, else while its lease is held
 * @param leased whether it runs where its lease is held
 * @param steps successful steps
 * @param failures steps that failed, conflicts not counted
 * @param conflicts steps that failed because a resource had a newer version
 * @param waiting names that wait for a worker now
 * @param seconds durations of steps, with the bounds {@code MetricDefinition.REQUEST_SECONDS}
 */
public record ControllerStatistics(
    boolean active,
    boolean leased,
    long steps,
    long failures,
    long conflicts,
    int waiting,
    BucketCounts seconds) {}
