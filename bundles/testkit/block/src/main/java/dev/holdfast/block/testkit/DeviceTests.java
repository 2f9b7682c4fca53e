package dev.holdfast.block.testkit;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.rule.testkit.NamedRules;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Base of the topics: a device of slightly more than 8 MiB, which is created before and closed
 * after each test.
 */
@ExtendWith(NamedRules.class)
abstract class DeviceTests {
  /** Not a multiple of large powers of two, so that the last piece of any size is incomplete. */
  static final int SIZE = (8 << 20) + 3 * 4096;

  static final int STEPS = Integer.getInteger("holdfast.kit.steps", 400);

  private final BlockDeviceFactory factory;
  private final long seed = Long.getLong("holdfast.kit.seed", System.nanoTime());
  final Random random = new Random(seed);
  BlockDevice device;
  DeviceIo io;

  DeviceTests(BlockDeviceFactory factory) {
    this.factory = factory;
  }

  @BeforeEach
  final void createDevice() throws Exception {
    device = factory.create(SIZE);
    io = new DeviceIo(device);
  }

  @AfterEach
  final void closeDevice() {
    if (device != null) {
      device.close();
    }
  }

  final String hint() {
    return "repeat with -Dholdfast.kit.seed=" + seed;
  }

  final byte[] bytes(int length) {
    byte[] content = new byte[length];
    random.nextBytes(content);
    return content;
  }
}
