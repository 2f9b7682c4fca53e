package dev.holdfast.processes;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostCondition;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Ends processes by SIGTERM, and by SIGKILL after a wait. Sends signals only to processes with the
 * expected start time. Thread-safe.
 */
final class Termination {
  private static final Duration KILLED = Duration.ofSeconds(10);

  private Termination() {}

  /** Ends one process. */
  static void end(ProcessIdentity process, Duration patience) throws StorageException {
    if (!process.isAlive()) {
      return;
    }
    signal(process, false);
    if (!ended(List.of(process), patience)) {
      signal(process, true);
      requireEnded(List.of(process), patience);
    }
  }

  /**
   * Ends the first process of a session, and then the remaining members with the same patience
   * again.
   *
   * @param first first process of the session
   * @param instance mark of the first process and its children
   */
  static void endSession(ProcessIdentity first, String instance, Duration patience)
      throws StorageException {
    Set<ProcessIdentity> members = new LinkedHashSet<>();
    if (first.isAlive()) {
      members.addAll(members(first)); // a session keeps its number while its first process lives
      signal(first, false);
      if (!ended(List.of(first), patience)) {
        signal(first, true);
        requireEnded(List.of(first), KILLED);
      }
    }
    members.addAll(marked(first, instance));
    members.forEach(member -> signal(member, false));
    if (!ended(members, patience)) {
      members.addAll(
          marked(first, instance)); // processes that were started while the others were ending
      members.forEach(member -> signal(member, true));
      requireEnded(members, KILLED);
    }
  }

  /** Returns the marked members of the session, because the session number may be reused. */
  private static List<ProcessIdentity> marked(ProcessIdentity first, String instance) {
    return members(first).stream()
        .filter(member -> ProcessTable.hasVariable(member.pid(), Launcher.MARK + "=" + instance))
        .toList();
  }

  private static List<ProcessIdentity> members(ProcessIdentity first) {
    return ProcessTable.session(first.pid()).stream()
        .filter(ProcessTable.Entry::isAlive)
        .map(entry -> new ProcessIdentity(entry.pid(), entry.startTicks(), ProcessTable.bootId()))
        .filter(member -> !member.equals(first))
        .toList();
  }

  /** Sends a signal. The handle compares the start time again before it sends. */
  private static void signal(ProcessIdentity process, boolean kill) {
    Optional<ProcessHandle> handle = ProcessHandle.of(process.pid());
    if (handle.isPresent() && process.isAlive()) {
      boolean unused = kill ? handle.get().destroyForcibly() : handle.get().destroy();
    }
  }

  private static boolean ended(Collection<ProcessIdentity> processes, Duration patience)
      throws StorageException {
    return HostCondition.holds(
        patience, () -> processes.stream().noneMatch(ProcessIdentity::isAlive));
  }

  private static void requireEnded(Collection<ProcessIdentity> processes, Duration patience)
      throws StorageException {
    if (!ended(processes, patience)) {
      List<Long> left =
          processes.stream().filter(ProcessIdentity::isAlive).map(ProcessIdentity::pid).toList();
      throw new StorageException(
          ErrorCode.BUSY,
          "process " + left + " does not end, even when killed; it may wait for a device");
    }
  }
}
