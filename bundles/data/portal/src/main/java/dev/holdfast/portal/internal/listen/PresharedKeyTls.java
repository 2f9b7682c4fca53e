package dev.holdfast.portal.internal.listen;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ClientIdentity;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.PresharedKeyFrontend;
import dev.holdfast.frontend.TlsPolicy;
import dev.holdfast.portal.internal.session.FrontendService;
import dev.holdfast.portal.internal.session.FrontendServices;
import dev.holdfast.portal.internal.transport.ListenerTls;
import dev.holdfast.portal.internal.transport.PskAcceptor;
import dev.holdfast.portal.internal.transport.Transport;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.Optional;

/**
 * TLS with pre-shared keys while the serving bundle supplies keys, else with certificates.
 * Thread-safe.
 */
final class PresharedKeyTls implements ListenerTls {
  private final FrontendServices services;
  private final TlsMode mode;
  private final ListenerTls certificates;

  PresharedKeyTls(FrontendServices services, TlsMode mode, ListenerTls certificates) {
    this.services = services;
    this.mode = mode;
    this.certificates = certificates;
  }

  /** Rejects a configuration in which no client could connect. */
  static void check(FrontendProvider frontend, TlsMode mode) throws StorageException {
    if (mode == TlsMode.REQUIRE
        && frontend instanceof PresharedKeyFrontend keyed
        && !keyed.keyed()) {
      throw new StorageException(
          ErrorCode.INVALID,
          "holdfast."
              + frontend.name()
              + ".tls is require, but the frontend has no keys, so no client could connect: set "
              + "its file of keys, or set offer");
    }
  }

  @Override
  public TlsPolicy policy() {
    Optional<FrontendProvider> serving = services.first().map(FrontendService::frontend);
    if (serving.isEmpty() || !(serving.get() instanceof PresharedKeyFrontend keyed)) {
      return certificates.policy();
    }
    return switch (mode) {
      case OFF -> TlsPolicy.OFF;
      case OFFER -> keyed.keyed() ? TlsPolicy.OFFERED : TlsPolicy.OFF;
      case REQUIRE -> TlsPolicy.REQUIRED;
    };
  }

  @Override
  public Optional<PskAcceptor> door(FrontendProvider frontend) {
    boolean required = mode == TlsMode.REQUIRE;
    return frontend instanceof PresharedKeyFrontend keyed
            && mode != TlsMode.OFF
            && (required || keyed.keyed())
        ? Optional.of(new PskAcceptor(keyed, required))
        : Optional.empty();
  }

  @Override
  public Optional<ClientIdentity> identity(Transport secured) throws IOException {
    return certificates.identity(secured);
  }

  @Override
  public Transport secure(SocketChannel channel) throws IOException {
    return certificates.secure(channel);
  }
}
