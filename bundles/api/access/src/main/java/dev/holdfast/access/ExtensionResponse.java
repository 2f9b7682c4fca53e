package dev.holdfast.access;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** The answer to a request of an {@link ApiExtension}. For one thread. */
@ProviderType
public interface ExtensionResponse {
  /**
   * Begins the answer. The caller closes the stream when the body is complete; an answer whose
   * stream is not closed ends the connection, so that the client sees that it is cut off.
   *
   * @param code of HTTP
   * @param contentType media type of the body, not null
   * @param length number of bytes of the body, -1 when it is not known
   * @param headers further ones, not null
   * @return takes the body, never null
   * @throws IOException when the client is gone
   */
  OutputStream begin(int code, String contentType, long length, Map<String, String> headers)
      throws IOException;
}
