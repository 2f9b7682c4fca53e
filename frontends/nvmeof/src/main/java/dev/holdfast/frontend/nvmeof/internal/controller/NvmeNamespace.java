package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.nvmeof.internal.page.NamespacePage;
import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.NvmeNames;

/**
 * The volume behind a subsystem's one namespace.
 *
 * @param subsystem NQN of the subsystem
 * @param device device of the volume
 * @param state state that its connections share
 */
public record NvmeNamespace(String subsystem, BlockDevice device, ExportState state) {
  public long blocks() {
    return device.size() >> Limits.BLOCK_SHIFT;
  }

  public NamespacePage page() {
    return new NamespacePage(
        blocks(), Limits.BLOCK_SHIFT, device.blockSize(), NvmeNames.uuid(subsystem));
  }
}
