package dev.holdfast.engine.lvm.blobs.internal.lvm;

import dev.holdfast.error.StorageException;
import dev.holdfast.host.Host;
import dev.holdfast.host.ProgramCall;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The kernel's setting for full thin pools, which counts for all pools of a host. Stateless. */
public final class ThinKernel {
  private static final Path TIMEOUT =
      Path.of("/sys/module/dm_thin_pool/parameters/no_space_timeout");
  private static final Duration SHORT = Duration.ofMinutes(1);
  private static final int LONGEST = 32;
  private static final String NEVER = "0";

  private ThinKernel() {}

  /**
   * Makes writers to a full pool wait without a limit. The kernel's default fails their requests
   * after 60 s.
   *
   * @throws StorageException IO when the setting cannot be written
   */
  public static void waitWhenFull(Host host) throws StorageException {
    Optional<byte[]> value = host.files().read(TIMEOUT, 0, LONGEST);
    if (value.isPresent()
        && !new String(value.get(), StandardCharsets.UTF_8).strip().equals(NEVER)) {
      String tee = host.require("tee", "coreutils");
      String unused =
          host.check(ProgramCall.of(SHORT, List.of(tee, TIMEOUT.toString())).withInput(NEVER));
    }
  }
}
