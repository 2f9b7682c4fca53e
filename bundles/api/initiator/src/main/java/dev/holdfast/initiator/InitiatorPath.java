package dev.holdfast.initiator;

import java.util.Objects;

/**
 * One path of a volume that is connected to this host.
 *
 * @param address address of the target, as the host shows it, for example {@code 10.0.0.1:4420};
 *     not null
 * @param state of the connection in the host's words, for example {@code live} or {@code
 *     connecting}; not null
 * @param access the access state that the target reported, in the host's words, for example {@code
 *     optimized}; empty while it is unknown, not null
 * @since 2.1
 */
public record InitiatorPath(String address, String state, String access) {
  /** Rejects null components. */
  public InitiatorPath {
    Objects.requireNonNull(address, "address");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(access, "access");
  }
}
