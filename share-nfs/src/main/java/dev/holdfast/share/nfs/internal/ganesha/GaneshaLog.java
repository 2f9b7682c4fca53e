package dev.holdfast.share.nfs.internal.ganesha;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** Messages of Ganesha's log about its last start. */
final class GaneshaLog {
  /** Lines that hold one start. */
  static final int LINES = 200;

  private static final String STARTING = "Starting: Ganesha Version";

  /** Time, epoch, host, process and function come before the component and the message. */
  private static final Pattern PREFIX = Pattern.compile("^.*?\\] \\S+ :");

  private static final Pattern SEVERE = Pattern.compile(":(?:FATAL|MAJ|CRIT) :");

  private GaneshaLog() {}

  /** Returns the line that names a setting which this version does not know. */
  static Optional<String> unknownParameter(List<String> lines) {
    return lastStart(lines).stream()
        .filter(line -> line.contains("Unknown parameter") || line.contains("Unknown block"))
        .map(GaneshaLog::message)
        .findFirst();
  }

  /** Returns why it ended during its start. */
  static StorageException failure(String volume, List<String> lines) {
    boolean bound = lastStart(lines).stream().noneMatch(line -> line.contains("Error binding"));
    return new StorageException(
        bound ? ErrorCode.IO : ErrorCode.BUSY,
        "share "
            + volume
            + ": Ganesha ended"
            + (bound ? "" : ", because its address or port cannot be used")
            + ": "
            + summary(lines));
  }

  /** Returns the last severe message, or the last line. */
  static String summary(List<String> lines) {
    List<String> start = lastStart(lines);
    return start.stream()
        .filter(line -> SEVERE.matcher(line).find())
        // Ends each start without Kerberos and without rpcbind, both of which are not used.
        .filter(line -> !line.contains("gssd_refresh") && !line.contains("__Register_program"))
        .map(GaneshaLog::message)
        .reduce((first, second) -> second)
        .orElse(start.isEmpty() ? "its log is empty" : message(start.get(start.size() - 1)));
  }

  private static List<String> lastStart(List<String> lines) {
    for (int i = lines.size() - 1; i > 0; i--) {
      if (lines.get(i).contains(STARTING)) {
        return lines.subList(i, lines.size());
      }
    }
    return lines;
  }

  private static String message(String line) {
    return PREFIX.matcher(line).replaceFirst("").strip();
  }
}
