package dev.holdfast.itests;

import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import java.net.URI;

/** A frontend that has the name of another one and serves no client. */
public final class NamesakeFrontend implements FrontendProvider {
  @Override
  public String name() {
    return "nbd";
  }

  @Override
  public int defaultPort() {
    return 0;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    throw new IllegalStateException("planted");
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    throw new IllegalStateException("planted");
  }
}
