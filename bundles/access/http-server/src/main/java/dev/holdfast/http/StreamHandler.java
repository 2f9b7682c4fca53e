package dev.holdfast.http;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/** Answers a request whose bodies are streams. */
@FunctionalInterface
public interface StreamHandler {
  /**
   * Answers, on a thread that may block. A client that sends nothing, or takes nothing, for the
   * server's time limit loses its connection.
   *
   * @param body of the request, not null; at most 256 KiB of it are in memory
   * @param answer to be begun once, not null
   * @throws IOException when the client is gone; a client that has not got its whole answer sees
   *     that it is cut off
   */
  void handle(InputStream body, Answer answer) throws IOException;

  /** The answer. For one thread. */
  interface Answer {
    /**
     * Begins an answer. The caller closes the stream when the body is complete.
     *
     * @param code of HTTP
     * @param headers beside those of the server, in order, not null
     * @param length number of bytes of the body, -1 when it is not known
     * @return takes the body, never null; at most 256 KiB of it are in memory
     * @throws IllegalStateException when an answer was begun
     * @throws IOException when the client is gone
     */
    OutputStream begin(int code, List<Map.Entry<String, String>> headers, long length)
        throws IOException;

    /**
     * Answers at once.
     *
     * @throws IllegalStateException when an answer was begun
     */
    void send(HttpAnswer.Complete answer);

    /** Returns whether an answer was begun. */
    boolean isBegun();
  }
}
