package dev.holdfast.initiator.nbd.internal;

/**
 * Record of a connection, before and after it is made.
 *
 * @param volume its name
 * @param initiator who makes it
 * @param endpoint what it is connected to
 * @param pid of the process that serves it, for people; 0 before it runs
 * @param device the block device, empty before there is one
 */
record ConnectionRecord(
    String volume, String initiator, String endpoint, long pid, String device) {}
