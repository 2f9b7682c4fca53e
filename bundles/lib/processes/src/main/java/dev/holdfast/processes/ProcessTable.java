package dev.holdfast.processes;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The processes in {@code /proc} (proc(5)). Thread-safe. */
final class ProcessTable {
  private static final Path PROC = Path.of("/proc");

  private ProcessTable() {}

  /**
   * A line of {@code /proc/PID/stat}.
   *
   * @param pid number of the process
   * @param state state letter; Z and X after its end
   * @param session number of the session's first process
   * @param startTicks start time in clock ticks since the boot
   */
  record Entry(long pid, char state, long session, long startTicks) {
    private static final int STATE = 0;
    private static final int SESSION = 3;
    private static final int START = 19;

    /**
     * Parses the line. The name of the program may contain spaces and brackets; it ends at the last
     * bracket.
     */
    static Entry parse(long pid, String stat) {
      String[] fields = stat.substring(stat.lastIndexOf(')') + 1).strip().split(" ", -1);
      return new Entry(
          pid,
          fields[STATE].charAt(0),
          Long.parseLong(fields[SESSION]),
          Long.parseLong(fields[START]));
    }

    /** Returns whether the process runs. It still runs if only its first thread has ended. */
    boolean isAlive() {
      return state != 'X' && (state != 'Z' || threads(pid) > 1);
    }
  }

  /** Returns the kernel's entry of a process; empty if the number is unused. */
  static Optional<Entry> entry(long pid) {
    return read(pid, "stat").map(stat -> Entry.parse(pid, stat));
  }

  /** Returns the name of the present boot. */
  static String bootId() {
    return Boot.ID;
  }

  /** Returns whether a process was started with a variable in its environment. */
  static boolean hasVariable(long pid, String variable) {
    return read(pid, "environ")
        .filter(environment -> List.of(environment.split("\0", -1)).contains(variable))
        .isPresent();
  }

  /** Returns whether a process was started with an argument. */
  static boolean hasArgument(long pid, String argument) {
    return read(pid, "cmdline")
        .filter(command -> List.of(command.split("\0", -1)).contains(argument))
        .isPresent();
  }

  /** Returns all processes of a session. */
  static List<Entry> session(long session) {
    List<Entry> members = new ArrayList<>();
    try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
      for (Path process : processes) {
        entry(Long.parseLong(process.getFileName().toString()))
            .filter(entry -> entry.session() == session)
            .ifPresent(members::add);
      }
    } catch (IOException e) {
      throw new IllegalStateException("cannot list " + PROC, e);
    }
    return members;
  }

  private static int threads(long pid) {
    int count = 0;
    try (DirectoryStream<Path> tasks =
        Files.newDirectoryStream(PROC.resolve(Long.toString(pid)).resolve("task"))) {
      for (Path unused : tasks) {
        count++;
      }
    } catch (IOException e) {
      return 0; // the process has ended
    }
    return count;
  }

  /**
   * Reads a file of a process; empty if it is missing or unreadable because the process has ended.
   */
  private static Optional<String> read(long pid, String file) {
    Path path = PROC.resolve(Long.toString(pid)).resolve(file);
    try {
      String content = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1);
      return content.isEmpty() ? Optional.empty() : Optional.of(content);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** The boot id, read once because a program does not survive a boot. */
  private static final class Boot {
    static final String ID = read();

    private static String read() {
      Path file = PROC.resolve("sys/kernel/random/boot_id");
      try {
        return Files.readString(file).strip();
      } catch (IOException e) {
        throw new IllegalStateException("cannot read " + file + ", which names this boot", e);
      }
    }
  }
}
