package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.FailureContract;

final class NvmePlainFailureTest extends FailureContract {
  NvmePlainFailureTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
