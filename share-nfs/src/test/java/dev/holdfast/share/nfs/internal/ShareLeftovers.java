package dev.holdfast.share.nfs.internal;

import dev.holdfast.initiator.MountTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Mounts, files and processes that shares have on this host, by the folder of their node. */
final class ShareLeftovers {
  private static final Path SOCKETS = Path.of("/run/holdfast/share-nfs-test");

  private ShareLeftovers() {}

  /** Returns mounts, files, sockets and processes; empty once all shares have ended. */
  static List<String> of(Path data) throws Exception {
    List<String> found = new ArrayList<>();
    for (MountTable.Mount mount : MountTable.read().mounts()) {
      if (mount.directory().startsWith(data)) {
        found.add("mount " + mount);
      }
    }
    addFiles(data, found);
    addFiles(SOCKETS, found);
    processes(data).forEach(process -> found.add("process " + process.info()));
    return found;
  }

  /** Returns the servers and their buses. */
  static List<ProcessHandle> processes(Path data) {
    return ProcessHandle.allProcesses()
        .filter(
            process ->
                process
                    .info()
                    .commandLine()
                    .filter(command -> command.contains(data.toString()))
                    .isPresent())
        .toList();
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
}
