package dev.holdfast.http;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Answer to a request. The server adds the headers of the connection and of the length. */
public sealed interface HttpAnswer {
  /**
   * An answer whose body is complete.
   *
   * @param code HTTP status code
   * @param headers headers in addition to the server's, in order, not null
   * @param body bytes from position to limit, not null; must not change afterwards
   */
  record Complete(int code, List<Map.Entry<String, String>> headers, ByteBuffer body)
      implements HttpAnswer {
    /** Copies the headers and rejects null components. */
    public Complete {
      headers = List.copyOf(headers);
      Objects.requireNonNull(body, "body");
    }
  }

  /**
   * An answer whose body is produced piece by piece as the client reads it, without its own thread.
   *
   * @param code HTTP status code
   * @param headers headers in addition to the server's, in order, not null
   * @param source produces the body, not null; the server always closes it
   */
  record InPieces(int code, List<Map.Entry<String, String>> headers, PieceSource source)
      implements HttpAnswer {
    /** Copies the headers and rejects null components. */
    public InPieces {
      headers = List.copyOf(headers);
      Objects.requireNonNull(source, "source");
    }
  }
}
