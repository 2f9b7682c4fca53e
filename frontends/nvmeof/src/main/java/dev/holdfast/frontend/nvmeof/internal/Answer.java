package dev.holdfast.frontend.nvmeof.internal;

/** What a command of the admin queue gives: the completion's result, and data for the host. */
final class Answer {
  private static final byte[] NOTHING = new byte[0];

  static final Answer DONE = new Answer(0, NOTHING);

  private final long result;
  private final byte[] data;

  private Answer(long result, byte[] data) {
    this.result = result;
    this.data = data;
  }

  static Answer of(long result) {
    return new Answer(result, NOTHING);
  }

  static Answer of(byte[] data) {
    return new Answer(0, data);
  }

  long result() {
    return result;
  }

  byte[] data() {
    return data;
  }
}
