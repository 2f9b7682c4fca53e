package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.RequestFailedException;

/**
 * What a command came to.
 *
 * @param status type and code, without the bit that forbids a retry
 * @param retry whether a retry may help
 * @param result dwords 0 and 1
 * @param head of the submission queue
 * @param data from the controller
 */
record Outcome(int status, boolean retry, long result, int head, byte[] data) {
  Outcome orThrow() throws RequestFailedException {
    if (status != 0) {
      throw new RequestFailedException(Integer.toHexString(status));
    }
    return this;
  }
}
