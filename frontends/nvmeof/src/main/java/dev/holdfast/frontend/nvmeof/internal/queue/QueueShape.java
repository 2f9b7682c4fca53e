package dev.holdfast.frontend.nvmeof.internal.queue;

/**
 * Parameters of a queue that a host connects.
 *
 * @param number number of the queue, 0 for the admin queue
 * @param entries of the queue
 * @param flowControl whether the host requests the submission queue's head
 */
public record QueueShape(int number, int entries, boolean flowControl) {}
