package dev.holdfast.frontend.testkit;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.testkit.ToyFrontend.Mistake;
import java.io.IOException;
import java.net.URI;
import java.util.Optional;

/**
 * The toy frontend and its client.
 *
 * @param mistake of every instance of the frontend, empty for none
 */
record ToyFixture(Optional<Mistake> mistake) implements FrontendFixture {
  ToyFixture() {
    this(Optional.empty());
  }

  ToyFixture(Mistake mistake) {
    this(Optional.of(mistake));
  }

  @Override
  public FrontendProvider frontend() {
    return new ToyFrontend(mistake);
  }

  @Override
  public FrontendClient connect(URI endpoint) throws IOException {
    return new ToyClient(endpoint);
  }

  @Override
  public String statusOf(ErrorCode code) {
    return code.name();
  }
}
