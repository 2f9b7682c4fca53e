package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.DataContract;

final class NvmePlainDataTest extends DataContract {
  NvmePlainDataTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
