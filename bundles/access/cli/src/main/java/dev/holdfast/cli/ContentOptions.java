package dev.holdfast.cli;

import dev.holdfast.client.VolumeRequest;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.volume.CloneMode;
import java.util.Optional;
import java.util.OptionalInt;
import picocli.CommandLine.Option;

/** How large a new volume is, and what it holds: one of the two at least. */
final class ContentOptions {
  @Option(
      names = "--size",
      paramLabel = "SIZE",
      description = {
        "Size of the device, for example 1Gi; rounded up to a multiple of 4Ki.",
        "With --from: that of the source when left out."
      })
  private String size;

  @Option(
      names = "--from",
      paramLabel = "VOLUME[@SNAPSHOT]",
      description = "Make it a copy of a volume, which may be in use, or of a snapshot.")
  private String from;

  @Option(
      names = "--clone-mode",
      paramLabel = "MODE",
      description = {
        "With --from: linked-clone to share blocks with the source where that is possible, or"
            + " full-copy. Default: linked-clone."
      })
  private CloneMode cloneMode;

  VolumeRequest request(
      String name, OptionalInt replicas, Optional<String> engine, Optional<String> frontend)
      throws StorageException {
    VolumeRequest request =
        new VolumeRequest(name, size == null ? "" : size, replicas, engine, frontend);
    VolumeRequest asked = cloneMode == null ? request : request.withCloneMode(cloneMode);
    return from == null ? asked : asked.from(from);
  }
}
