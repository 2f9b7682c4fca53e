package dev.holdfast.frontend.nvmeof.internal;

/**
 * What a command of the admin queue gives.
 *
 * @param result of the completion
 * @param data for the host
 */
record Answer(long result, byte[] data) {
  private static final byte[] NOTHING = new byte[0];

  static final Answer DONE = new Answer(0, NOTHING);

  static Answer of(long result) {
    return new Answer(result, NOTHING);
  }

  static Answer of(byte[] data) {
    return new Answer(0, data);
  }
}
