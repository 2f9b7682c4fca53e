package dev.holdfast.frontend.nvmeof.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.nvmeof.internal.page.NamespacePage;

/**
 * The volume behind a subsystem's one namespace.
 *
 * @param subsystem its NQN
 * @param device its bytes
 * @param state what its connections share
 */
record NvmeNamespace(String subsystem, BlockDevice device, ExportState state) {
  long blocks() {
    return device.size() >> Limits.BLOCK_SHIFT;
  }

  NamespacePage page() {
    return new NamespacePage(
        blocks(), Limits.BLOCK_SHIFT, device.blockSize(), NvmeNames.uuid(subsystem));
  }
}
