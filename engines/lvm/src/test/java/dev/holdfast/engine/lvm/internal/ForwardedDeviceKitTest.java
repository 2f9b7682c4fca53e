package dev.holdfast.engine.lvm.internal;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** The kit of devices over a volume of another node. It moves hundreds of megabytes over TLS. */
@Tag("soak")
class ForwardedDeviceKitTest extends BlockDeviceKit {
  @TempDir static Path folder;
  private static ForwardingLab lab;

  @BeforeAll
  static void start() throws Exception {
    lab = new ForwardingLab(folder);
  }

  @Override
  protected BlockDevice create(long size) throws Exception {
    return lab.create(size);
  }

  @AfterAll
  static void stop() {
    lab.close();
  }
}
