package dev.holdfast.portal.internal.session;

import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.ReplaceableFrontend;
import java.util.Optional;

/** One frontend service, present or being removed. Thread-safe. */
public final class FrontendService {
  private final FrontendProvider frontend;
  private final FrontendRank origin;
  private volatile boolean present = true;
  private volatile boolean refused;

  FrontendService(FrontendProvider frontend, FrontendRank origin) {
    this.frontend = frontend;
    this.origin = origin;
  }

  public FrontendProvider frontend() {
    return frontend;
  }

  public FrontendRank origin() {
    return origin;
  }

  /** Returns the frontend if it can resume sessions of others. */
  public Optional<ReplaceableFrontend> replaceable() {
    return frontend instanceof ReplaceableFrontend able ? Optional.of(able) : Optional.empty();
  }

  public boolean present() {
    return present;
  }

  void leave() {
    present = false;
  }

  /** Returns whether it failed to resume a session. */
  public boolean refused() {
    return refused;
  }

  public void refuse() {
    refused = true;
  }

  @Override
  public String toString() {
    return origin.toString();
  }
}
