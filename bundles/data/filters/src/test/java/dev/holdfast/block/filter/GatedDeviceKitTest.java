package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;

class GatedDeviceKitTest extends BlockDeviceKit {
  @Override
  protected BlockDevice create(long size) {
    return new GatedDevice("kit", new ArrayDevice((int) size));
  }
}
