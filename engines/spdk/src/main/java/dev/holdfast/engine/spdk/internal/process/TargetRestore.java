package dev.holdfast.engine.spdk.internal.process;

import dev.holdfast.engine.spdk.internal.calls.SpdkTarget;
import dev.holdfast.error.StorageException;

/**
 * Makes again what a target loses with its process and what no open volume makes by itself. Logical
 * volumes stay on the disks; each open volume restores what it shows.
 */
@FunctionalInterface
public interface TargetRestore {
  /**
   * Brings a target to the recorded state. Is called after each start of a process, and once for a
   * process that was adopted, which may have all or a part of it. Must be idempotent.
   *
   * @param target answers calls, has the abilities that the engine needs; not null
   * @throws StorageException when something could not be made; the call is repeated
   */
  void restore(SpdkTarget target) throws StorageException;
}
