package dev.holdfast.frontend.nbd;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.nbd.internal.NbdFrontend;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.SecureFrontendFixture;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** NBD in the conformance kit, with one form of replies. */
record NbdFixture(NbdClient.Style style) implements SecureFrontendFixture {

  @Override
  public FrontendProvider frontend() {
    return new NbdFrontend();
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return NbdClient.connect(endpoint, style);
  }

  @Override
  public FrontendClient connectSecurely(URI endpoint, SSLContext trust) throws IOException {
    return NbdClient.connect(endpoint, style, Optional.of(trust));
  }

  @Override
  public String statusOf(ErrorCode code) {
    return switch (code) {
      case NO_SPACE -> "28";
      case INVALID -> "22";
      case UNSUPPORTED -> "95";
      case FORBIDDEN -> "1";
      case NOT_FOUND, ALREADY_EXISTS, CONFLICT, BUSY, UNREACHABLE, TIMEOUT, EXPIRED, IO, INTERNAL ->
          "5";
    };
  }
}
