package dev.holdfast.engine.sparse.internal.disk;

import java.util.Optional;

/** A fault that comes as soon as a change of the head is durable, once. */
final class CommitFault {
  private Optional<Runnable> fault = Optional.empty();

  void set(Runnable value) {
    fault = Optional.of(value);
  }

  void clear() {
    fault = Optional.empty();
  }

  /** Returns the fault if a file's new content changes the head; the former is null if none. */
  Optional<Runnable> of(String name, SimulatedFile former, byte[] content) {
    Optional<Runnable> now =
        fault
            .filter(any -> former != null)
            .filter(any -> HeadChanges.between(name, former.all(), content));
    now.ifPresent(any -> clear());
    return now;
  }
}
