package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.LaterCompletionContract;

final class NvmePlainLaterCompletionTest extends LaterCompletionContract {
  NvmePlainLaterCompletionTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
