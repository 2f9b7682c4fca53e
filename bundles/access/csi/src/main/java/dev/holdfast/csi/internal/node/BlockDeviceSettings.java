package dev.holdfast.csi.internal.node;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Sizes and write protection of a host's block devices. Stateless. */
final class BlockDeviceSettings {
  private static final Duration SHORT = Duration.ofSeconds(60);

  private final Host host;

  BlockDeviceSettings(Host host) {
    this.host = host;
  }

  /** Makes the kernel reject or accept writes to a device. */
  void readOnly(String device, boolean readOnly) throws StorageException {
    String program = host.require("blockdev", "util-linux");
    String option = readOnly ? "--setro" : "--setrw";
    String unused = host.check(ProgramCall.of(SHORT, List.of(program, option, device)));
  }

  /** Returns the size of a device in bytes. */
  long size(String device) throws StorageException {
    return host.files().size(Path.of(device));
  }
}
