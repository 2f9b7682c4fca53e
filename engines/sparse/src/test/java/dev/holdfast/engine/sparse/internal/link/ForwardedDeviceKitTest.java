package dev.holdfast.engine.sparse.internal.link;

import dev.holdfast.block.BlockDevice;
import dev.holdfast.block.testkit.BlockDeviceKit;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** A volume that another node has open, as a device. */
class ForwardedDeviceKitTest extends BlockDeviceKit {
  @TempDir private Path folder;
  private final List<ForwardingLab> labs = new ArrayList<>();

  @Override
  protected BlockDevice create(long size) throws Exception {
    ForwardingLab lab = new ForwardingLab(folder.resolve("lab-" + labs.size()), true);
    labs.add(lab);
    var unused = lab.nodes.admitted.admit(ForwardingLab.VOLUME, "node-1", lab.volume(size));
    return lab.join();
  }

  @AfterEach
  void stop() {
    labs.forEach(ForwardingLab::close);
  }
}
