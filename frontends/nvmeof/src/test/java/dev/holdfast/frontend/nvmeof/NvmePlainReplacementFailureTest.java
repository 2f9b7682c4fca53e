package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.ReplacementFailureContract;

final class NvmePlainReplacementFailureTest extends ReplacementFailureContract {
  NvmePlainReplacementFailureTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
