package dev.holdfast.frontend.nvmeof;

import dev.holdfast.frontend.testkit.LifecycleContract;

final class NvmePlainLifecycleTest extends LifecycleContract {
  NvmePlainLifecycleTest() {
    super(new NvmeFixture(HostOptions.PLAIN));
  }
}
