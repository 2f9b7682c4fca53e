package dev.holdfast.apiserver.internal.http;

import java.io.IOException;

/** Answers requests; each call is on the thread of its connection. */
@FunctionalInterface
public interface HttpHandler {
  /**
   * Answers a request.
   *
   * @throws IOException when the client is gone; the connection ends
   */
  void handle(HttpExchange exchange) throws IOException;
}
