import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Number of operations of a load in a period, and the CPU time that processes use in that period.
 */
final class Measurement {
  private static final long NANOS_PER_TICK = 10_000_000L;

  private final List<Path> processes = new ArrayList<>();
  private final long nanos;

  /** A source of operations that runs without a pause. */
  interface Load {
    void runUntil(long end) throws IOException;

    /** Returns the number of operations answered since the load began. */
    long done();
  }

  /** PIDS are separated by commas. */
  Measurement(String pids, double seconds) {
    for (String pid : pids.split(",")) {
      processes.add(Path.of("/proc", pid, "stat"));
    }
    nanos = (long) (seconds * 1e9);
  }

  /**
   * Returns operations, nanoseconds and CPU nanoseconds, after a warm-up of a quarter of the time.
   */
  String of(Load load) throws IOException {
    load.runUntil(System.nanoTime() + nanos / 4);
    long before = load.done();
    long cpu = cpuNanos();
    long start = System.nanoTime();
    load.runUntil(start + nanos);
    long elapsed = System.nanoTime() - start;
    long used = cpuNanos() - cpu;
    return (load.done() - before) + " " + elapsed + " " + used;
  }

  /** User and system time of all threads, in ticks of a hundredth of a second. */
  private long cpuNanos() throws IOException {
    long ticks = 0;
    for (Path stat : processes) {
      String text = Files.readString(stat);
      String[] fields = text.substring(text.lastIndexOf(')') + 2).split(" ");
      ticks += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
    }
    return ticks * NANOS_PER_TICK;
  }
}
