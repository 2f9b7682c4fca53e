package dev.holdfast.share.nfs.internal;

import dev.holdfast.initiator.MountTable;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareServer;
import dev.holdfast.share.testkit.ShareServerLab;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** This host with the real Ganesha and a loop device, for the kit. */
final class NfsShareLab implements ShareServerLab {
  private static final Path SOCKETS = Path.of("/run/holdfast/share-nfs-test");

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
    List<String> found = new ArrayList<>();
    for (MountTable.Mount mount : MountTable.read().mounts()) {
      if (mount.directory().startsWith(folder) || mount.source().equals(device.device())) {
        found.add("mount " + mount);
      }
    }
    addFiles(folder.resolve("data"), found);
    addFiles(SOCKETS, found);
    ProcessHandle.allProcesses()
        .flatMap(process -> process.info().commandLine().stream())
        .filter(command -> command.contains(folder.toString()))
        .forEach(command -> found.add("process " + command));
    return found;
  }

  private static void addFiles(Path root, List<String> found) throws Exception {
    if (!Files.exists(root)) {
      return;
    }
    try (Stream<Path> files = Files.walk(root)) {
      files
          .filter(file -> !Files.isDirectory(file) && !file.endsWith(".lock"))
          .forEach(file -> found.add("file " + file));
    }
  }

  @Override
  public void close() throws Exception {
    node.close();
    device.close();
  }
}
