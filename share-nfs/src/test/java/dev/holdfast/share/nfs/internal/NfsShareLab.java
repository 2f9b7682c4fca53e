package dev.holdfast.share.nfs.internal;

import dev.holdfast.initiator.MountTable;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.testkit.ShareServerLab;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** This host with the real Ganesha and a loop device, for the kit. */
final class NfsShareLab implements ShareServerLab {
  private final Path folder;
  private final LoopDevice device;
  private final ShareFixture node;
  private final ShareRequest request;

  NfsShareLab(Path folder) throws Exception {
    this.folder = folder;
    this.device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    this.node = new ShareFixture(folder.resolve("data"));
    this.request = ShareFixture.request("v1", device);
  }

  @Override
  public ShareServer server() {
    return node.server();
  }

  @Override
  public void replace() throws Exception {
    node.replace();
  }

  @Override
  public ShareRequest request() {
    return request;
  }

  @Override
  public List<String> leftovers() throws Exception {
    List<String> found = new ArrayList<>(ShareLeftovers.of(folder.resolve("data")));
    for (MountTable.Mount mount : MountTable.read().mounts()) {
      if (mount.source().equals(device.device())) {
        found.add("mount " + mount);
      }
    }
    return found;
  }

  @Override
  public void close() throws Exception {
    node.close();
    device.close();
  }
}
