package dev.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/** Handles a request whose bodies are streams. */
@FunctionalInterface
public interface StreamHandler {
  /**
   * Handles the request on a thread that may block. The server closes the connection of a client
   * that sends or reads nothing for the server's time limit.
   *
   * @param body of the request, not null; at most 256 KiB of it are in memory
   * @param answer to be begun once, not null
   * @throws IOException when the client has disconnected; the client detects an incomplete answer
   */
  void handle(InputStream body, Answer answer) throws IOException;

  /** The answer. Not thread-safe. */
  interface Answer {
    /**
     * Starts an answer. The caller closes the stream when the body is complete.
     *
     * @param code HTTP status code
     * @param headers headers in addition to the server's, in order, not null
     * @param length number of bytes of the body, -1 if unknown
     * @return stream for the body, never null; at most 256 KiB of it are in memory
     * @throws IllegalStateException when an answer was already started
     * @throws IOException when the client has disconnected
     */
    OutputStream begin(int code, List<Map.Entry<String, String>> headers, long length)
        throws IOException;

    /**
     * Sends a complete answer.
     *
     * @throws IllegalStateException when an answer was already started
     */
    void send(HttpAnswer.Complete answer);

    /** Returns whether an answer was started. */
    boolean isBegun();
  }
}
