package dev.holdfast.processes;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Place of processes that outlive a container which shares the machine's process numbers. When such
 * a container ends, its runtime kills all processes in its control groups. Without this move,
 * replacing our own pod would end the devices of other pods.
 *
 * <pre>
 *   container's groups: this program        first process's groups: processes of devices
 * </pre>
 *
 * The mount namespace stays the container's: the programs are in its image, and the namespace lives
 * as long as a process in it. Mounts below shared folders come and go there as on the machine.
 * Thread-safe.
 */
final class Machine {
  /** Joins the groups whose files come before {@code --}, then becomes the command after it. */
  private static final String JOIN =
      "while [ \"$1\" != -- ]; do echo $$ > \"$1\"; shift; done; shift; exec \"$@\"";

  private final Path proc;

  /**
   * Creates it.
   *
   * @param proc where processes are shown, {@code /proc}
   */
  Machine(Path proc) {
    this.proc = proc;
  }

  /** Returns the command that runs another where it outlives this program's container. */
  List<String> outside(List<String> command) throws StorageException {
    if (!isShownToContainer()) {
      return command;
    }
    List<String> wrapped = new ArrayList<>();
    wrapped.addAll(List.of(HostProgram.require("sh", "dash").toString(), "-c", JOIN, "sh"));
    groups().forEach(file -> wrapped.add(file.toString()));
    wrapped.add("--");
    wrapped.addAll(command);
    return wrapped;
  }

  /** Whether the first process is the machine's, and this one is in a container. */
  private boolean isShownToContainer() {
    Optional<Path> first = mounts("1");
    Optional<Path> own = mounts("self");
    return first.isPresent() && own.isPresent() && !first.equals(own);
  }

  private Optional<Path> mounts(String process) {
    try {
      return Optional.of(Files.readSymbolicLink(proc.resolve(process).resolve("ns/mnt")));
    } catch (IOException | UnsupportedOperationException e) {
      return Optional.empty(); // not ours to see: then we could not leave either
    }
  }

  /**
   * Returns the files by which one joins the groups of the first process, as that one sees them.
   */
  private List<Path> groups() throws StorageException {
    Path file = proc.resolve("1/cgroup");
    try {
      return Files.readAllLines(file).stream()
          .map(line -> line.split(":", 3))
          .filter(fields -> fields.length == 3)
          .flatMap(fields -> group(fields[1], fields[2]).stream())
          .toList();
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  /** A path that leads out of what this program is shown can only mean the root (cgroups(7)). */
  private Optional<Path> group(String controllers, String path) {
    Path root = proc.resolve("1/root/sys/fs/cgroup");
    Path hierarchy = root.resolve(controllers.replaceFirst("^name=", ""));
    if (controllers.isEmpty() && Files.isDirectory(root.resolve("unified"))) {
      hierarchy = root.resolve("unified");
    }
    String below = path.contains("..") ? "" : path.replaceFirst("^/", "");
    return Optional.of(hierarchy.resolve(below).resolve("cgroup.procs")).filter(Files::isWritable);
  }
}
