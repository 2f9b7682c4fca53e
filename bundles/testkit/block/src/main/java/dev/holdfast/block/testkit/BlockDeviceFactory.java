package dev.holdfast.block.testkit;

import dev.holdfast.block.BlockDevice;

/** Makes the device under test. */
@FunctionalInterface
public interface BlockDeviceFactory {
  /**
   * Makes a device that reads as zeroes. The kit closes it; what stands behind it is the factory's.
   *
   * @param size in bytes, a multiple of 4096
   * @return a new device, never null
   * @throws Exception when it cannot be made; the test fails
   */
  BlockDevice create(long size) throws Exception;
}
