package dev.holdfast.frontend.testkit;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableFrontend;
import dev.holdfast.frontend.SessionState;
import java.net.URI;
import java.util.Optional;

/** A frontend of a toy protocol that follows every rule of the kit, or breaks one. */
public final class ToyFrontend implements ReplaceableFrontend {
  static final String FORMAT = "toy";
  static final int VERSION = 1;

  private final Optional<Mistake> mistake;

  /** The rule that is broken. */
  enum Mistake {
    ACKNOWLEDGES_WITHOUT_FLUSH,
    HIDES_FAILURES,
    LETS_THE_INPUT_GO,
    REPLIES_TOO_EARLY,
    ACCEPTS_ANY_EXPORT,
    FORGETS_THE_EXPORT
  }

  /** Creates the frontend that follows every rule; the kit creates further ones. */
  public ToyFrontend() {
    this(Optional.empty());
  }

  ToyFrontend(Optional<Mistake> mistake) {
    this.mistake = mistake;
  }

  @Override
  public String name() {
    return "toy";
  }

  @Override
  public int defaultPort() {
    return 10_999;
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return URI.create("toy://" + host + ":" + port + "/" + export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    return new ToySession(connection, mistake);
  }

  @Override
  public FrontendSession resume(FrontendConnection connection, SessionState state)
      throws StorageException {
    state.requireReadable(FORMAT, VERSION);
    return new ToySession(connection, mistake);
  }
}
