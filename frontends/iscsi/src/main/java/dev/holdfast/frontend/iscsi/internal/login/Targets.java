package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Optional;

/** Which targets there are, by their iSCSI names. */
@FunctionalInterface
public interface Targets {
  /** Returns whether a target is here. */
  boolean here(String target);

  /** Returns the address, as {@code TargetAddress} has it, of a target that is not here. */
  default Optional<String> elsewhere(String target) {
    return Optional.empty();
  }
}
