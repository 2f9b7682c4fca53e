package dev.holdfast.commands.check;

import dev.holdfast.posix.SparseFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Checks of the state directory of a node and of the ports in its settings. */
final class DirectoryChecks {
  private static final String SETTINGS = "holdfast.env";
  private static final String LOOPBACK = "127.0.0.1";
  private static final Map<String, String> PORTS =
      new TreeMap<>(
          Map.of(
              "api_port", "7443",
              "rpc_port", "7444",
              "nbd_port", "10809",
              "iscsi_port", "3260",
              "nvmeof_port", "4420",
              "replica_port", "10810",
              "ssh_port", "8101"));

  private static final long START_BYTES = 1L << 20;
  private static final long COMFORTABLE_BYTES = 1L << 30;
  private static final int PROBE = 64 << 10;
  private static final String LISTENING = "0A";

  private final SystemFiles files;
  private final Path data;

  DirectoryChecks(SystemFiles files, Path data) {
    this.files = files;
    this.data = data;
  }

  /** Returns whether a node was started with this directory. */
  boolean isUsed() {
    return Files.exists(data.resolve(SETTINGS));
  }

  private Path existing() {
    Path place = data.toAbsolutePath();
    while (!Files.isDirectory(place) && place.getParent() != null) {
      place = place.getParent();
    }
    return place;
  }

  CheckResult space() {
    try {
      long free = Files.getFileStore(existing()).getUsableSpace();
      String finding = (free >> 20) + " MiB are free for " + data;
      String remedy = "free some space, or use another file system: --data DIR";
      if (free < START_BYTES) {
        return CheckResult.error("space", finding + "; a start needs 1 MiB", remedy);
      }
      return free < COMFORTABLE_BYTES
          ? CheckResult.warning("space", finding, remedy)
          : CheckResult.ok("space", finding);
    } catch (IOException e) {
      return CheckResult.error("space", data + ": " + e, "use another directory: --data DIR");
    }
  }

  /** Creates a file with a hole, like files of replicas. */
  CheckResult filesystem() {
    Path probe = null;
    try {
      probe = Files.createTempFile(existing(), ".holdfast-check", "");
      Files.write(probe, new byte[PROBE]);
      try (SparseFile file = SparseFile.open(probe)) {
        return file.punchHole(0, PROBE)
            ? CheckResult.ok("filesystem", existing() + " has files with holes")
            : CheckResult.error(
                "filesystem",
                existing() + " has no files with holes: replicas would need their full size",
                "use ext4, XFS or Btrfs: --data DIR");
      }
    } catch (IOException e) {
      return CheckResult.error(
          "filesystem",
          existing() + " cannot be written: " + e.getMessage(),
          "run the command as the account of the node, or use another directory: --data DIR");
    } finally {
      delete(probe);
    }
  }

  private static void delete(Path probe) {
    try {
      if (probe != null) {
        Files.deleteIfExists(probe);
      }
    } catch (IOException e) {
      // The file contains only a hole, and the next check creates another one.
      return;
    }
  }

  /** Checks the files of an earlier node in the directory. */
  CheckResult content() {
    String name = "data";
    if (Files.exists(data.resolve("restore.ready"))) {
      return CheckResult.error(
          name,
          "the restore of " + data + " was interrupted",
          "complete it: holdfast cluster restore FILE --data " + data);
    }
    if (!isUsed() && hasReplicas()) {
      return CheckResult.error(
          name,
          data + " has replicas of an earlier node, and no " + SETTINGS,
          "put a copy of that file there, or use another directory: --data DIR");
    }
    return CheckResult.ok(
        name, isUsed() ? data + " is that of a node" : data + " is free for a new node");
  }

  private boolean hasReplicas() {
    try (Stream<Path> disks = Files.list(data.resolve("disks"))) {
      return disks.anyMatch(Files::isDirectory);
    } catch (IOException e) {
      return false;
    }
  }

  /** Checks that no other program listens at a port of the node; the node must not run. */
  CheckResult ports() {
    Map<String, String> settings = settings();
    List<Listener> listeners = listeners();
    List<String> found = new ArrayList<>();
    List<String> options = new ArrayList<>();
    PORTS.forEach(
        (key, usual) -> {
          int port = Integer.parseInt(settings.getOrDefault(key, usual));
          String address = settings.getOrDefault("address", LOOPBACK);
          String bound = key.equals("ssh_port") && !address.startsWith("127.") ? LOOPBACK : address;
          if (listeners.stream().anyMatch(listener -> listener.takes(bound, port))) {
            found.add(Integer.toString(port));
            options.add("--" + key.replace('_', '-') + " N");
          }
        });
    return found.isEmpty()
        ? CheckResult.ok("ports", "no other program listens at those of the node")
        : CheckResult.error(
            "ports",
            "other programs listen at " + String.join(", ", found),
            "end them, or choose others: holdfast up " + String.join(" ", options));
  }

  private Map<String, String> settings() {
    Map<String, String> settings = new HashMap<>();
    try (Stream<String> lines = Files.lines(data.resolve(SETTINGS))) {
      lines
          .map(line -> line.split("=", 2))
          .filter(parts -> parts.length == 2 && isUsable(parts[0], parts[1]))
          .forEach(parts -> settings.put(parts[0], parts[1]));
    } catch (IOException e) {
      // An unused directory has no settings, so the defaults apply.
      return Map.of();
    }
    return settings;
  }

  private static boolean isUsable(String key, String value) {
    return PORTS.containsKey(key) ? value.matches("[0-9]{1,5}") : !value.isEmpty();
  }

  /** A listening socket in {@code /proc/net/tcp}, in hexadecimal digits. */
  private record Listener(String address, int port) {
    boolean takes(String wanted, int wantedPort) {
      return port == wantedPort
          && (address.matches("0+") || hexadecimal(wanted).map(address::endsWith).orElse(true));
    }

    /**
     * Returns the hexadecimal form of an IPv4 address. For host names, IPv6 addresses and wildcards
     * each listener on the port counts.
     */
    private static Optional<String> hexadecimal(String address) {
      if (!address.matches("[0-9]{1,3}([.][0-9]{1,3}){3}") || address.equals("0.0.0.0")) {
        return Optional.empty();
      }
      String digits = "";
      for (String part : address.split("[.]", -1)) {
        digits = "%02X".formatted(Integer.valueOf(part)) + digits;
      }
      return Optional.of(digits);
    }
  }

  private List<Listener> listeners() {
    List<Listener> found = new ArrayList<>();
    for (String table : List.of("proc/net/tcp", "proc/net/tcp6")) {
      for (String line : files.lines(table)) {
        String[] fields = line.strip().split("\\s+", -1);
        if (fields.length > 3 && fields[3].equals(LISTENING)) {
          int colon = fields[1].lastIndexOf(':');
          found.add(
              new Listener(
                  fields[1].substring(0, colon),
                  Integer.parseInt(fields[1].substring(colon + 1), 16)));
        }
      }
    }
    return found;
  }
}
