package dev.holdfast.frontend.iscsi.internal.login;

import java.util.Optional;

/** Finds targets by their iSCSI names. */
@FunctionalInterface
public interface Targets {
  /** Returns whether a target is here. */
  boolean here(String target);

  /** Returns the address, in the form of {@code TargetAddress}, of a target on another node. */
  default Optional<String> elsewhere(String target) {
    return Optional.empty();
  }
}
