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
 * Ends processes by SIGTERM, after a wait by SIGKILL. A signal is sent only to a process whose
 * start time is the known one. Thread-safe.
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
   * Ends the first process of a session and what it started there. What stays after its end may
   * take as long again.
   *
   * @param first of the session
   * @param instance mark of the first process and of what it started
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
      members.addAll(marked(first, instance)); // started while the others were asked to end
      members.forEach(member -> signal(member, true));
      requireEnded(members, KILLED);
    }
  }

  /** Returns the members of the session that carry the mark; the number may be another's by now. */
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

  /** The handle compares the start time again when it sends the signal. */
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
