package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.RequestFailedException;

/** Result of a command. */
final class Outcome {
  private final int status;
  private final boolean retry;
  private final long result;
  private final int head;
  private final byte[] data;

  Outcome(int status, boolean retry, long result, int head, byte[] data) {
    this.status = status;
    this.retry = retry;
    this.result = result;
    this.head = head;
    this.data = data;
  }

  /** Type and code, without the bit that forbids a retry. */
  int status() {
    return status;
  }

  /** Whether a retry may help. */
  boolean retry() {
    return retry;
  }

  /** Dwords 0 and 1. */
  long result() {
    return result;
  }

  /** Head of the submission queue. */
  int head() {
    return head;
  }

  /** From the controller. */
  byte[] data() {
    return data;
  }

  Outcome orThrow() throws RequestFailedException {
    if (status != 0) {
      throw new RequestFailedException(Integer.toHexString(status));
    }
    return this;
  }
}
