package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;

class MeteredDeviceKitTest extends BlockDeviceKit {
  @Override
  protected BlockDevice create(long size) {
    return new MeteredDevice(new ArrayDevice((int) size));
  }
}
