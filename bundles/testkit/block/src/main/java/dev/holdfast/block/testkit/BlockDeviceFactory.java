package dev.holdfast.block.testkit;

import dev.holdfast.block.BlockDevice;

/** Creates the device under test. */
@FunctionalInterface
public interface BlockDeviceFactory {
  /**
   * Creates a device that reads as zeroes. The kit closes the device; the factory owns the
   * underlying resources.
   *
   * @param size in bytes, a multiple of 4096
   * @return a new device, never null
   * @throws Exception when the device cannot be created; the test fails
   */
  BlockDevice create(long size) throws Exception;
}
