package dev.holdfast.cluster;

import java.util.List;
import java.util.Objects;

/**
 * State of the cluster's authority.
 *
 * @param phase how far its rotation is
 * @param authority SHA-256 of the certificate of the authority that signs, in hexadecimal digits
 * @param waiting nodes that the phase waits for, each with the reason, such as {@code node-2: away}
 * @param left names of nodes that need a new join, because the rotation left them behind
 */
public record RotationStatus(
    Phase phase, String authority, List<String> waiting, List<String> left) {
  /** Phase of a rotation. */
  public enum Phase {
    /** No rotation runs. */
    NONE,
    /** Nodes learn to trust the new authority; the old one signs. */
    TRUST,
    /** Nodes get certificates of the new authority; both are trusted. */
    RENEW,
    /** No node needs the old authority; it can be removed. */
    READY
  }

  /** Copies the lists. */
  public RotationStatus {
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(authority, "authority");
    waiting = List.copyOf(waiting);
    left = List.copyOf(left);
  }
}
