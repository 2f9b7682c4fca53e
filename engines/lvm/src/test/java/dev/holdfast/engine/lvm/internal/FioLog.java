package dev.holdfast.engine.lvm.internal;

/** The log of requests that fio writes with {@code --write_lat_log=/run/fio}. */
final class FioLog {
  private static final String FILE = "/run/fio_clat.1.log";

  private FioLog() {}

  /** Returns a command that prints the longest times between two completed writes, in ms. */
  static String longestGaps(int count) {
    return "awk -F, '$3 == 1 { if (seen) print $1 - last; last = $1; seen = 1 }' "
        + FILE
        + " | sort -n | tail -n "
        + count;
  }
}
