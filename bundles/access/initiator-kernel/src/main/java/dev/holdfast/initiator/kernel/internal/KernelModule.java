package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A part of the kernel that may have to be loaded.
 *
 * @param name of the module, as modprobe knows it
 * @param sign that it is there: a path
 */
record KernelModule(String name, Path sign) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Returns whether the kernel has it now; loads it where that is possible. */
  boolean present() {
    if (Files.exists(sign)) {
      return true;
    }
    Optional<Path> modprobe = HostProgram.find("modprobe");
    if (modprobe.isEmpty()) {
      return false;
    }
    try {
      HostProgram.run(PATIENCE, List.of(modprobe.get().toString(), "--quiet", name));
    } catch (StorageException e) {
      return false; // the caller reports the consequence
    }
    return Files.exists(sign);
  }
}
