package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.ReplacementContract;

final class NvmeCarefulReplacementTest extends ReplacementContract {
  NvmeCarefulReplacementTest() {
    super(new NvmeFixture(HostOptions.CAREFUL));
  }
}
