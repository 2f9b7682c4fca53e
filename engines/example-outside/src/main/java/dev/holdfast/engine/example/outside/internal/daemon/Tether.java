package dev.holdfast.engine.example.outside.internal.daemon;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Ties a daemon to the lock of its replica and to this program.
 *
 * <p>The daemon inherits the locked descriptor, so the lock lives exactly as long as the daemon,
 * also after the end of this program. A daemon without clients would keep other nodes from the
 * volume; so a shell beside it reads a pipe that this program holds open. At the end of the pipe it
 * kills the daemon, unless the volume is exported.
 */
final class Tether implements AutoCloseable {
  /** Exit code when the lock is not free. */
  static final int LOCKED = 75;

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /**
   * Arguments: lock, seconds to wait, pipe, record of exports, then the command. The start time of
   * a process, by which it differs from a later one of its number, is field 22.
   */
  private static final String SCRIPT =
      "exec 9>>\"$1\" || exit 74; flock -w \"$2\" 9 || exit 75;"
          + " started() { read -r stat < /proc/$$/stat && set -- $stat && echo \"${22}\"; };"
          + " begun=$(started); pipe=$3; served=$4; shift 4;"
          + " { while read -r _ < \"$pipe\"; [ -e \"$served\" ]; do :; done;"
          + " [ \"$(started)\" != \"$begun\" ] || kill -9 $$; } 9>&- &"
          + " exec \"$@\"";

  private final FileChannel pipe;

  private Tether(FileChannel pipe) {
    this.pipe = pipe;
  }

  /** Holds the pipe open, and makes it when it is absent. */
  static Tether hold(NodeFolder place) throws StorageException {
    Path path = place.tether();
    try {
      if (!Files.exists(path)) {
        HostProgram.check(
            PATIENCE,
            List.of(HostProgram.require("mkfifo", "coreutils").toString(), path.toString()));
      }
      // Open for both directions, the pipe does not wait for a reader.
      return new Tether(FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE));
    } catch (IOException e) {
      throw StorageException.io("volume " + place.volume() + ": " + path, e);
    }
  }

  /** Returns the command that locks a file, ties the daemon, and becomes it. */
  static List<String> tied(List<String> command, Path lock, Duration wait, NodeFolder place)
      throws StorageException {
    HostProgram.require("flock", "util-linux");
    List<String> tied = new ArrayList<>();
    tied.addAll(List.of(HostProgram.require("sh", "dash").toString(), "-c", SCRIPT, "sh"));
    tied.add(lock.toString());
    tied.add(Double.toString(wait.toMillis() / 1000.0));
    tied.addAll(List.of(place.tether().toString(), place.serving().toString()));
    tied.addAll(command);
    return tied;
  }

  /** Lets the pipe end. Idempotent. */
  @Override
  public void close() throws StorageException {
    try {
      pipe.close();
    } catch (IOException e) {
      throw StorageException.io("pipe of a daemon", e);
    }
  }
}
