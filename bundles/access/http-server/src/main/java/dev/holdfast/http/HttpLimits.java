package dev.holdfast.http;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits of a server for its clients. Limits of sizes and of HTTP/2 are constants.
 *
 * @param handshake longest time of a TLS handshake
 * @param header longest time from the first byte of a request to the end of its head
 * @param body longest time for the arrival of a complete body, and longest wait for the next bytes
 *     of a streamed body
 * @param idle longest time between two requests of a connection
 * @param write longest time for a client to read each piece of an answer
 * @param connections numbers of connections
 * @param pieces number of concurrent answers in pieces, such as watches
 */
public record HttpLimits(
    Duration handshake,
    Duration header,
    Duration body,
    Duration idle,
    Duration write,
    Connections connections,
    int pieces) {
  /** Largest request line, in bytes; a longer one gets 414. */
  public static final int REQUEST_LINE = 8 << 10;

  /** Largest size of all headers of a request, in bytes; more gets 431. */
  public static final int HEADERS = 32 << 10;

  /** Bytes of a streamed body in memory, for each direction of a request. */
  public static final int STREAM_BUFFER = 256 << 10;

  /** Concurrent requests of one HTTP/2 connection. */
  public static final int STREAMS_OF_CONNECTION = 100;

  /** The limits for production. */
  public static final HttpLimits DEFAULT =
      new HttpLimits(
          Duration.ofSeconds(10),
          Duration.ofSeconds(10),
          Duration.ofSeconds(30),
          Duration.ofSeconds(60),
          Duration.ofSeconds(30),
          new Connections(4096, 256, 256, 16, 64),
          1024);

  /**
   * Numbers of connections.
   *
   * @param all open connections of all clients
   * @param reserved number of these reserved for loopback and for addresses with a valid credential
   * @param halfOpen connections with an incomplete handshake
   * @param halfOpenOfAddress number of these from one address
   * @param withoutCredentialOfAddress unauthenticated connections of one address
   */
  public record Connections(
      int all, int reserved, int halfOpen, int halfOpenOfAddress, int withoutCredentialOfAddress) {}

  /** Rejects null components. */
  public HttpLimits {
    Objects.requireNonNull(handshake, "handshake");
    Objects.requireNonNull(header, "header");
    Objects.requireNonNull(body, "body");
    Objects.requireNonNull(idle, "idle");
    Objects.requireNonNull(write, "write");
    Objects.requireNonNull(connections, "connections");
  }

  /** Returns the same with another time of writes. */
  public HttpLimits withWrite(Duration other) {
    return new HttpLimits(handshake, header, body, idle, other, connections, pieces);
  }

  /** Returns the same with another time of handshakes. */
  public HttpLimits withHandshake(Duration other) {
    return new HttpLimits(other, header, body, idle, write, connections, pieces);
  }

  /** Returns the same with another time of heads. */
  public HttpLimits withHeader(Duration other) {
    return new HttpLimits(handshake, other, body, idle, write, connections, pieces);
  }

  /** Returns the same with another time of bodies. */
  public HttpLimits withBody(Duration other) {
    return new HttpLimits(handshake, header, other, idle, write, connections, pieces);
  }

  /** Returns the same with another time between requests. */
  public HttpLimits withIdle(Duration other) {
    return new HttpLimits(handshake, header, body, other, write, connections, pieces);
  }

  /** Returns the same with other numbers of connections. */
  public HttpLimits withConnections(Connections other) {
    return new HttpLimits(handshake, header, body, idle, write, other, pieces);
  }

  /** Returns these limits with another number of answers in pieces. */
  public HttpLimits withPieces(int other) {
    return new HttpLimits(handshake, header, body, idle, write, connections, other);
  }
}
