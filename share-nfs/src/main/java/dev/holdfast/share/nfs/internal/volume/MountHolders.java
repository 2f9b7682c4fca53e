package dev.holdfast.share.nfs.internal.volume;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.HostMounts;
import dev.holdfast.host.ProgramCall;
import dev.holdfast.initiator.MountTable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Holders of a mount: processes by their links in {@code /proc}, and mounts below it. */
final class MountHolders {
  private static final Duration SHORT = Duration.ofSeconds(10);
  private static final int MOST = 5;

  /**
   * Prints number and name of each process that has a file, a folder or its root below $1, which is
   * escaped as a pattern. One program looks at all links, because a busy host has many.
   */
  private static final String SEARCH =
      "find /proc/[0-9]*/cwd /proc/[0-9]*/root /proc/[0-9]*/exe /proc/[0-9]*/fd -maxdepth 1"
          + " -type l \\( -lname \"$1\" -o -lname \"$1/*\" \\) -print 2>/dev/null"
          + " | cut -d/ -f3 | sort -u | while read -r p; do"
          + " if read -r n < \"/proc/$p/comm\"; then echo \"process $p ($n)\"; fi; done";

  private final Host host;

  MountHolders(Host host) {
    this.host = host;
  }

  /** Returns at most a few of them, in words; none when the search takes too long. */
  List<String> of(Path point) throws StorageException {
    List<String> holders = new ArrayList<>();
    for (MountTable.Mount mount : new HostMounts(host).table().mounts()) {
      if (mount.directory().startsWith(point) && !mount.directory().equals(point)) {
        holders.add("the mount " + mount.directory());
      }
    }
    processes(point).forEach(holders::add);
    return holders.subList(0, Math.min(MOST, holders.size()));
  }

  /** The caller reports a busy mount, whether the search finds the cause or not. */
  private List<String> processes(Path point) throws StorageException {
    String sh = host.require("sh", "dash");
    String pattern = point.toString().replaceAll("[\\\\*?\\[\\]]", "\\\\$0");
    try {
      return host.run(ProgramCall.of(SHORT, List.of(sh, "-c", SEARCH, "sh", pattern)))
          .output()
          .lines()
          .toList();
    } catch (StorageException e) {
      if (e.code() == ErrorCode.TIMEOUT && !Thread.currentThread().isInterrupted()) {
        return List.of();
      }
      throw e;
    }
  }
}
