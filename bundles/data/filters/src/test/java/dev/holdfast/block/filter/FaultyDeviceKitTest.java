package dev.holdfast.block.filter;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;

/** Without faults the device behaves like any other. */
class FaultyDeviceKitTest extends BlockDeviceKit {
  @Override
  protected BlockDevice create(long size) {
    return new FaultyDevice(new ArrayDevice((int) size));
  }
}
