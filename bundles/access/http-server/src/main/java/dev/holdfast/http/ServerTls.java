package dev.holdfast.http;

import java.util.Objects;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;

/**
 * TLS of a server.
 *
 * @param context with the server's certificate, and the trusted authorities of clients if client
 *     certificates are permitted; used at each handshake, not null
 * @param asksClients whether to request an optional client certificate; called at each handshake on
 *     an event loop, not null
 */
public record ServerTls(SSLContext context, BooleanSupplier asksClients) {
  /** Rejects null components. */
  public ServerTls {
    Objects.requireNonNull(context, "context");
    Objects.requireNonNull(asksClients, "asksClients");
  }

  /** Returns TLS without client certificates. */
  public static ServerTls of(SSLContext context) {
    return new ServerTls(context, () -> false);
  }
}
