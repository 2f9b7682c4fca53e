package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * A kernel module that may have to be loaded.
 *
 * @param name name of the module for modprobe
 * @param sign path that exists while the module is loaded
 */
record KernelModule(String name, Path sign) {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Returns whether the kernel has the module; tries to load it. */
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
