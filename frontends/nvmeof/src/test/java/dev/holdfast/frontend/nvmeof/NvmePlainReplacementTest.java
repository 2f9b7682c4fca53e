package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class NvmePlainReplacementTest extends ReplacementContract {
  NvmePlainReplacementTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
