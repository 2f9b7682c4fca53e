package dev.holdfast.nvme.host;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The kit of devices over a socket, with our own frontend as target. */
class NvmeDeviceTest extends BlockDeviceKit {
  private static NvmeServer server;
  private static int published;

  @BeforeAll
  static void startServer() throws Exception {
    server = new NvmeServer();
  }

  @AfterAll
  static void stopServer() {
    server.close();
  }

  @Override
  protected BlockDevice create(long size) throws Exception {
    return NvmeDevice.connect(
        server.publish("kit-" + published++, new MemoryBlockDevice((int) size)));
  }
}
