package dev.holdfast.share;

import java.util.Objects;

/**
 * Parts of a share on a node: any of a process, an address, a mount, a device or a state file.
 *
 * @param volume name of the volume
 * @param epoch the claim under which it was started
 */
public record ShareInstance(String volume, long epoch) {
  /** Rejects null components. */
  public ShareInstance {
    Objects.requireNonNull(volume, "volume");
  }
}
