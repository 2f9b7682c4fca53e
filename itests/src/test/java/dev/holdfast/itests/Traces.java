package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The resources of the operating system that a process uses for volumes, and its files on disks.
 *
 * @param files open files on its disks
 * @param connections established connections through the ports of clients and of replicas
 * @param listeners ports on which it listens
 * @param children processes that it started
 * @param paths files and directories on its disks
 * @param descriptors all of its file descriptors, for messages
 * @param threads all of its threads, for messages
 */
record Traces(
    List<String> files,
    int connections,
    Set<String> listeners,
    long children,
    Set<String> paths,
    int descriptors,
    int threads) {
  private static final Set<String> DATA_PORTS = Set.of("10809", "10810");

  static Traces of(Cluster cluster, int node) {
    long pid = cluster.pid(node);
    Path disks = cluster.data(node).resolve("disks");
    List<String> open = links(Path.of("/proc/" + pid + "/fd"));
    List<String> sockets = sockets(pid);
    return new Traces(
        open.stream().filter(file -> file.startsWith(disks.toString())).sorted().toList(),
        (int) sockets.stream().filter(Traces::carriesData).count(),
        sockets.stream()
            .filter(socket -> socket.startsWith("LISTEN"))
            .map(socket -> socket.split("\\s+", -1)[3])
            .collect(Collectors.toCollection(TreeSet::new)),
        ProcessHandle.of(pid).orElseThrow().children().count(),
        below(disks),
        open.size(),
        entries(Path.of("/proc/" + pid + "/task")).size());
  }

  /** Without what changes by itself. */
  Traces lasting() {
    return new Traces(files, connections, listeners, children, paths, 0, 0);
  }

  private static boolean carriesData(String socket) {
    String[] words = socket.split("\\s+", -1);
    return words[0].equals("ESTAB")
        && Stream.of(words[3], words[4])
            .anyMatch(end -> DATA_PORTS.contains(end.substring(end.lastIndexOf(':') + 1)));
  }

  private static List<String> sockets(long pid) {
    return Command.of("ss", "-H", "-t", "-a", "-n", "-p")
        .run()
        .succeeded()
        .out()
        .lines()
        .filter(line -> line.contains("pid=" + pid + ","))
        .toList();
  }

  private static List<String> links(Path directory) {
    return entries(directory).stream().flatMap(Traces::target).toList();
  }

  private static Stream<String> target(Path link) {
    try {
      return Stream.of(Files.readSymbolicLink(link).toString());
    } catch (IOException closedMeanwhile) {
      return Stream.empty();
    }
  }

  private static List<Path> entries(Path directory) {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> below(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.map(Path::toString).collect(Collectors.toCollection(TreeSet::new));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
