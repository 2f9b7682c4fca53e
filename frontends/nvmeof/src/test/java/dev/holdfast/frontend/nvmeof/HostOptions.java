package dev.holdfast.frontend.nvmeof;

/**
 * Transport options of a host in tests.
 *
 * @param digests 1 for headers, 2 for data, 3 for both
 * @param flowControl whether it requests the submission queue's head
 * @param alignment alignment of data for it, in units of four bytes, minus one
 * @param inCapsule maximum bytes of data in a capsule
 * @param piece maximum bytes of data in one PDU
 */
record HostOptions(int digests, boolean flowControl, int alignment, int inCapsule, int piece) {
  static final HostOptions PLAIN = new HostOptions(0, false, 0, 16 << 10, 1 << 20);
  static final HostOptions CAREFUL = new HostOptions(3, true, 7, 4 << 10, 30_000);
}
