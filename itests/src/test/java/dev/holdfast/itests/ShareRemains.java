package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Processes, mounts and devices of the shares of a node, which its host keeps without a container.
 */
final class ShareRemains {
  private ShareRemains() {}

  /** Returns the servers of the shares of a node, found by their files. */
  static List<ProcessHandle> processes(Path data) {
    return ProcessHandle.allProcesses()
        .filter(
            process -> command(process).contains("ganesha") || command(process).contains("dbus"))
        .filter(process -> command(process).contains(data + "/"))
        .toList();
  }

  /** Returns the program of a process, without its directory, and its arguments. */
  static String command(ProcessHandle process) {
    try {
      String line = Files.readString(Path.of("/proc/" + process.pid() + "/cmdline"));
      return Path.of(line.substring(0, Math.max(0, line.indexOf('\0')))).getFileName()
          + line.replace('\0', ' ');
    } catch (IOException e) {
      return "";
    }
  }

  /** Returns the mounts below the data directory of a node, the latest first. */
  static List<String> mounts(Path data) {
    try {
      List<String> mounts =
          Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
              .map(line -> line.split(" ", -1)[4])
              .filter(mount -> mount.startsWith(data + "/"))
              .collect(Collectors.toCollection(ArrayList::new));
      Collections.reverse(mounts);
      return mounts;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Removes all of it, as a loss of power would. Requests to a device fail once its processes have
   * ended; before, an unmount would wait for them. A device in use is detached with its last mount.
   */
  static void remove(Path data) {
    ProcessHandle.allProcesses()
        .filter(process -> command(process).contains(data + "/"))
        .filter(process -> !command(process).startsWith("java"))
        .forEach(ProcessHandle::destroyForcibly);
    Command.of("losetup", "--list", "--noheadings", "--output", "NAME,BACK-FILE")
        .run()
        .succeeded()
        .out()
        .lines()
        .filter(line -> line.contains(data + "/"))
        .forEach(line -> Command.of("losetup", "--detach", line.split(" ", 2)[0]).run());
    for (String mount : mounts(data)) {
      Command.of("umount", "-l", mount).run();
    }
  }
}
