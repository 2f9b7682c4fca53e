package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.FailureContract;

final class NvmeCarefulFailureTest extends FailureContract {
  NvmeCarefulFailureTest() {
    super(new NvmeFixture(HostOptions.CAREFUL));
  }
}
