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
 * Moves processes out of the control groups of a container that shares the machine's process
 * numbers. When such a container ends, its runtime kills all processes in its control groups.
 * Without this move, the replacement of our own pod would end the devices of other pods.
 *
 * <pre>
 *   container's groups: this program        first process's groups: processes of devices
 * </pre>
 *
 * The processes keep the container's mount namespace, because its image contains the programs. The
 * namespace exists as long as one of its processes. Mounts below shared folders change there as on
 * the machine. Thread-safe.
 */
final class Machine {
  /**
   * Joins the control groups whose files precede {@code --}, then executes the command after it.
   */
  private static final String JOIN =
      "while [ \"$1\" != -- ]; do echo $$ > \"$1\"; shift; done; shift; exec \"$@\"";

  private final Path proc;

  /**
   * Creates the mover.
   *
   * @param proc the proc file system, {@code /proc}
   */
  Machine(Path proc) {
    this.proc = proc;
  }

  /** Returns a command that runs another command outside this program's container. */
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

  /** Returns whether the first process is the machine's, and this program runs in a container. */
  private boolean isShownToContainer() {
    Optional<Path> first = mounts("1");
    Optional<Path> own = mounts("self");
    return first.isPresent() && own.isPresent() && !first.equals(own);
  }

  private Optional<Path> mounts(String process) {
    try {
      return Optional.of(Files.readSymbolicLink(proc.resolve(process).resolve("ns/mnt")));
    } catch (IOException | UnsupportedOperationException e) {
      return Optional
          .empty(); // the groups are not visible, so this program could not leave them either
    }
  }

  /**
   * Returns the files through which a process joins the groups of the first process, as that
   * process sees them.
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

  /**
   * Returns the folder of a group. A path outside the visible hierarchy can only be the root
   * (cgroups(7)).
   */
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
