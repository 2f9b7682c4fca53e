package dev.holdfast.portal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.PresharedKey;
import dev.holdfast.frontend.PresharedKeyFrontend;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * {@link EchoFrontend} with one key for {@code known}, and another for {@code longer}, which is for
 * SHA-384; {@code broken} makes the look-up fail.
 */
public final class KeyedEchoFrontend implements PresharedKeyFrontend {
  static final String KEY = "a key of thirty-two bytes for it";
  private static final byte[] BYTES = KEY.getBytes(StandardCharsets.US_ASCII);

  private final EchoFrontend echo = new EchoFrontend();
  private final boolean keyed;

  /** The identities that sessions saw. */
  final List<Optional<String>> proven = new CopyOnWriteArrayList<>();

  public KeyedEchoFrontend(boolean keyed) {
    this.keyed = keyed;
  }

  @Override
  public boolean keyed() {
    return keyed;
  }

  @Override
  public Optional<PresharedKey> presharedKey(String identity) throws StorageException {
    return switch (identity) {
      case "known" -> Optional.of(new PresharedKey(BYTES, PresharedKey.Hash.SHA_256));
      case "longer" -> Optional.of(new PresharedKey(BYTES, PresharedKey.Hash.SHA_384));
      case "broken" -> throw new StorageException(ErrorCode.IO, "the keys cannot be read");
      default -> Optional.empty();
    };
  }

  @Override
  public String name() {
    return echo.name();
  }

  @Override
  public int defaultPort() {
    return echo.defaultPort();
  }

  @Override
  public URI endpoint(String host, int port, String export) {
    return echo.endpoint(host, port, export);
  }

  @Override
  public FrontendSession open(FrontendConnection connection) {
    proven.add(connection.security().provenIdentity());
    return echo.open(connection);
  }
}
