package dev.holdfast.apiserver.internal.http;

import java.time.Duration;

/**
 * Limits of a server for its clients.
 *
 * @param handshake longest time of a TLS handshake
 * @param request longest time in which a request must arrive, and the longest silence between two
 * @param write longest time that a client may take nothing of what is written to it
 * @param halfOpenOfAddress connections of one address whose handshake is not complete
 * @param halfOpen such connections of all addresses together
 * @param connections open connections of all clients
 */
public record HttpLimits(
    Duration handshake,
    Duration request,
    Duration write,
    int halfOpenOfAddress,
    int halfOpen,
    int connections) {
  /** For production. */
  public static final HttpLimits DEFAULT =
      new HttpLimits(
          Duration.ofSeconds(5), Duration.ofSeconds(30), Duration.ofSeconds(30), 16, 512, 2048);

  /** Returns the same with another time of writes. */
  public HttpLimits withWrite(Duration other) {
    return new HttpLimits(handshake, request, other, halfOpenOfAddress, halfOpen, connections);
  }

  /** Returns the same with another time of handshakes. */
  public HttpLimits withHandshake(Duration other) {
    return new HttpLimits(other, request, write, halfOpenOfAddress, halfOpen, connections);
  }
}
