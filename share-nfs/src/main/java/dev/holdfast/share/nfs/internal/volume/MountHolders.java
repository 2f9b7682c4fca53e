package dev.holdfast.share.nfs.internal.volume;

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

  /** Prints number and name of each process that has a file, a folder or its root below $1. */
  private static final String SEARCH =
      "for p in /proc/[0-9]*; do"
          + " for l in \"$p\"/cwd \"$p\"/root \"$p\"/exe \"$p\"/fd/*; do"
          + " t=$(readlink \"$l\" 2>/dev/null) || continue;"
          + " case $t in \"$1\"|\"$1\"/*) read -r n < \"$p\"/comm;"
          + " echo \"process ${p#/proc/} ($n)\"; break;; esac; done; done";

  private final Host host;

  MountHolders(Host host) {
    this.host = host;
  }

  /** Returns at most a few of them, in words. */
  List<String> of(Path point) throws StorageException {
    List<String> holders = new ArrayList<>();
    for (MountTable.Mount mount : new HostMounts(host).table().mounts()) {
      if (mount.directory().startsWith(point) && !mount.directory().equals(point)) {
        holders.add("the mount " + mount.directory());
      }
    }
    String sh = host.require("sh", "dash");
    host.run(ProgramCall.of(SHORT, List.of(sh, "-c", SEARCH, "sh", point.toString())))
        .output()
        .lines()
        .forEach(holders::add);
    return holders.subList(0, Math.min(MOST, holders.size()));
  }
}
