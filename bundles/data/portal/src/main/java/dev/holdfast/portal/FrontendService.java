package dev.holdfast.portal;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.ReplaceableFrontend;
import java.util.Optional;

/** One frontend that is there, or was: its bundle may be on its way out. Thread-safe. */
final class FrontendService {
  private final FrontendProvider frontend;
  private final FrontendRank origin;
  private volatile boolean present = true;
  private volatile boolean refused;

  FrontendService(FrontendProvider frontend, FrontendRank origin) {
    this.frontend = frontend;
    this.origin = origin;
  }

  FrontendProvider frontend() {
    return frontend;
  }

  FrontendRank origin() {
    return origin;
  }

  /** Returns the frontend if it can resume sessions of others. */
  Optional<ReplaceableFrontend> replaceable() {
    return frontend instanceof ReplaceableFrontend able ? Optional.of(able) : Optional.empty();
  }

  boolean present() {
    return present;
  }

  void leave() {
    present = false;
  }

  /** Returns whether it failed to take a session over. */
  boolean refused() {
    return refused;
  }

  void refuse() {
    refused = true;
  }

  @Override
  public String toString() {
    return origin.toString();
  }
}
