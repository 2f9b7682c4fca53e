package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class NvmeCarefulLaterCompletionTest extends LaterCompletionContract {
  NvmeCarefulLaterCompletionTest() {
    super(new NvmeFixture(HostOptions.CAREFUL));
  }
}
