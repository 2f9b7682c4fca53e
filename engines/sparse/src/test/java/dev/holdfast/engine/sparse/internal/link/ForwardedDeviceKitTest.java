package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * A volume that another node has open, as a device. The sockets are not encrypted, because the kit
 * moves hundreds of megabytes; {@link ForwardedDeviceTest} uses TLS.
 */
class ForwardedDeviceKitTest extends BlockDeviceKit {
  @TempDir static Path folder;
  private static ForwardingLab lab;
  private static int devices;

  @BeforeAll
  static void start() throws Exception {
    lab = new ForwardingLab(folder, false);
  }

  @Override
  protected BlockDevice create(long size) throws Exception {
    String volume = "moving-" + devices++;
    var unused = lab.nodes.admitted.admit(volume, "node-1", lab.volume(size));
    return lab.join(volume);
  }

  @AfterAll
  static void stop() {
    lab.close();
  }
}
