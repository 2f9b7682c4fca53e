package dev.holdfast.frontend.nvmeof;

/**
 * Transport options of a test's host.
 *
 * @param digests 1 of headers, 2 of data, 3 of both
 * @param flowControl whether it wants the submission queue's head
 * @param alignment of data for it, in units of four bytes, less one
 * @param inCapsule the most data that it puts into a capsule
 * @param piece the most data that it puts into one PDU
 */
record HostOptions(int digests, boolean flowControl, int alignment, int inCapsule, int piece) {
  static final HostOptions PLAIN = new HostOptions(0, false, 0, 16 << 10, 1 << 20);
  static final HostOptions CAREFUL = new HostOptions(3, true, 7, 4 << 10, 30_000);
}
