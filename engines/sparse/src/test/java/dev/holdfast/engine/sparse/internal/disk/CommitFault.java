package dev.holdfast.engine.sparse.internal.disk;

import java.util.Optional;

/** A fault that occurs once, as soon as a change of the head is durable. */
final class CommitFault {
  private Optional<Runnable> fault = Optional.empty();

  void set(Runnable value) {
    fault = Optional.of(value);
  }

  void clear() {
    fault = Optional.empty();
  }

  /**
   * Returns the fault if the new content of a file changes the head. The former content is null for
   * a new file.
   */
  Optional<Runnable> of(String name, SimulatedFile former, byte[] content) {
    Optional<Runnable> now =
        fault
            .filter(any -> former != null)
            .filter(any -> HeadChanges.between(name, former.all(), content));
    now.ifPresent(any -> clear());
    return now;
  }
}
