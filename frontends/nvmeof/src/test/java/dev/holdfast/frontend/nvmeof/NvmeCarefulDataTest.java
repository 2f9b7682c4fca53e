package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.DataContract;

final class NvmeCarefulDataTest extends DataContract {
  NvmeCarefulDataTest() {
    super(new NvmeFixture(HostOptions.CAREFUL));
  }
}
