package dev.holdfast.http;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;

/**
 * TLS of a server.
 *
 * @param context with the server's certificate, and with trust in the authorities of clients where
 *     these may show one; asked at each handshake, not null
 * @param asksClients whether a client is asked for a certificate, which it need not have; asked at
 *     each handshake on an event loop, not null
 */
public record ServerTls(SSLContext context, BooleanSupplier asksClients) {
  /** Rejects null components. */
  public ServerTls {
    Objects.requireNonNull(context, "context");
    Objects.requireNonNull(asksClients, "asksClients");
  }

  /** Returns TLS that asks no client for a certificate. */
  public static ServerTls of(SSLContext context) {
    return new ServerTls(context, () -> false);
  }
}
