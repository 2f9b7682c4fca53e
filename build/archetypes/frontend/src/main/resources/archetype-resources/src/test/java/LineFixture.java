package ${package};

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.FrontendFixture;
import java.io.IOException;
import java.net.URI;

/** The frontend as the conformance kit sees it. */
record LineFixture() implements FrontendFixture {
  @Override
  public FrontendProvider frontend() {
    return new LineFrontend();
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return new LineClient(endpoint);
  }

  @Override
  public String statusOf(ErrorCode code) {
    return code.name();
  }
}
