package dev.holdfast.itests;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The files and ports of a node that an account can reach that is neither root nor the node's. */
final class OtherAccount {
  private static final int GROUP_AND_OTHERS = 0077;
  private static final int OTHERS_WRITE = 0022;
  private static final Pattern SOCKET = Pattern.compile("socket:\\[(\\d+)]");
  private static final Pattern WRITABLE = Pattern.compile("flags:\\s*0?\\d*([0-7])\\n");
  private static final Pattern SPACES = Pattern.compile("\\s+");
  private static final String LISTENING = "0A";

  private OtherAccount() {}

  /** Runs a program as that account. */
  static Command.Result run(String... words) {
    List<String> all =
        new ArrayList<>(
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--"));
    all.addAll(List.of(words));
    return Command.of(all).run();
  }

  /** Returns what the account finds below a directory that it can read or write, by trying. */
  static List<String> findsBelow(Path directory) {
    return run("find", directory.toString(), "(", "-readable", "-o", "-writable", ")", "-print")
        .out()
        .lines()
        .toList();
  }

  /** Returns the files, folders and sockets below a directory whose mode admits other accounts. */
  static List<String> openByMode(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.flatMap(file -> describe(file, GROUP_AND_OTHERS).stream()).sorted().toList();
    }
  }

  /** Returns it with its mode when that has one of some bits; files that are gone have none. */
  private static List<String> describe(Path file, int bits) {
    try {
      int mode = (int) Files.getAttribute(file, "unix:mode", LinkOption.NOFOLLOW_LINKS);
      boolean open = !Files.isSymbolicLink(file) && (mode & bits) != 0;
      return open ? List.of("%04o %s".formatted(mode & 07777, file)) : List.of();
    } catch (IOException e) {
      return List.of();
    }
  }

  /** Returns the files that a process has open for writing and that others can write. */
  static List<String> openForWriting(long pid) throws IOException {
    List<String> found = new ArrayList<>();
    for (Map.Entry<String, Path> open : descriptors(pid).entrySet()) {
      Path target = open.getValue();
      if (Files.isRegularFile(target) && isWritten(pid, open.getKey())) {
        found.addAll(describe(target, OTHERS_WRITE));
      }
    }
    return found;
  }

  private static boolean isWritten(long pid, String descriptor) throws IOException {
    Matcher flags =
        WRITABLE.matcher(Files.readString(Path.of("/proc/" + pid + "/fdinfo/" + descriptor)));
    return flags.find() && (Integer.parseInt(flags.group(1)) & 3) != 0;
  }

  private static Map<String, Path> descriptors(long pid) throws IOException {
    Map<String, Path> found = new TreeMap<>();
    try (Stream<Path> entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
      for (Path entry : entries.toList()) {
        try {
          found.put(entry.getFileName().toString(), Files.readSymbolicLink(entry));
        } catch (IOException e) {
          found.remove(entry.getFileName().toString()); // closed since the listing
        }
      }
    }
    return found;
  }

  /** Returns the TCP ports on which a process listens. */
  static Set<Integer> tcpPorts(long pid) throws IOException {
    Set<String> own = sockets(pid);
    Set<Integer> ports = new TreeSet<>();
    for (String table : List.of("tcp", "tcp6")) {
      for (String[] row : rows(pid, table)) {
        if (row[3].equals(LISTENING) && own.contains(row[9])) {
          ports.add(Integer.parseInt(row[1].substring(row[1].indexOf(':') + 1), 16));
        }
      }
    }
    return ports;
  }

  /**
   * Returns the UNIX sockets of a process that others can connect to: those in the abstract name
   * space, which have no mode, and those whose file can be written.
   */
  static List<String> unixSockets(long pid) throws IOException {
    List<String> found = new ArrayList<>();
    for (String name : namedSockets(pid)) {
      found.addAll(
          name.startsWith("@") ? List.of(name) : describe(Path.of(name), GROUP_AND_OTHERS));
    }
    return found;
  }

  /** Returns the names of a process's UNIX sockets. */
  static Set<String> namedSockets(long pid) throws IOException {
    Set<String> own = sockets(pid);
    return rows(pid, "unix").stream()
        .filter(row -> row.length > 7 && own.contains(row[6]))
        .map(row -> row[7])
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> sockets(long pid) throws IOException {
    return descriptors(pid).values().stream()
        .map(target -> SOCKET.matcher(target.toString()))
        .filter(Matcher::matches)
        .map(socket -> socket.group(1))
        .collect(Collectors.toSet());
  }

  private static List<String[]> rows(long pid, String table) {
    try (Stream<String> lines = Files.lines(Path.of("/proc/" + pid + "/net/" + table))) {
      return lines.skip(1).map(line -> SPACES.split(line.strip())).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
