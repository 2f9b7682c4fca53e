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
   * @param code of HTTP
   * @param headers beside those of the server, in order, not null
   * @param body bytes from position to limit, not null; not to be changed afterwards
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
   * An answer whose body is made piece by piece while the client takes it, without a thread of its
   * own.
   *
   * @param code of HTTP
   * @param headers beside those of the server, in order, not null
   * @param source makes the body, not null; the server closes it in every case
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
