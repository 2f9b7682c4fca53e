package dev.holdfast.engine.lvm.blobs.locks;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Locks of a volume group as one host sees them.
 *
 * @param lockType {@code none}, {@code sanlock} or {@code dlm}
 * @param started whether this host has joined the lock space of the group
 * @param globalLock whether this host can take the global lock, which may be in another group
 * @param missing what this host lacks to use the group, in the order in which to provide it; empty
 *     when nothing is missing
 */
public record LockReport(
    String lockType, boolean started, boolean globalLock, List<Missing> missing) {
  /**
   * Something that a host lacks.
   *
   * @param what name of the program, daemon, lock or file
   * @param remedy a command that provides it, or an instruction
   */
  public record Missing(String what, String remedy) {
    /** Checks that both texts are there. */
    public Missing {
      Objects.requireNonNull(what, "what");
      Objects.requireNonNull(remedy, "remedy");
    }

    /** Returns both texts, for messages. */
    @Override
    public String toString() {
      return what + " is missing: " + remedy;
    }
  }

  /** Copies the list. */
  public LockReport {
    Objects.requireNonNull(lockType, "lockType");
    missing = List.copyOf(missing);
  }

  /** Returns whether pools of the group can be activated on this host. */
  public boolean usable() {
    return started && globalLock && missing.isEmpty();
  }

  /** Returns what is missing and how to provide it, for messages; empty when nothing is missing. */
  public String problems() {
    return missing.stream().map(Missing::toString).collect(Collectors.joining("; "));
  }
}
