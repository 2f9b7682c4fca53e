package dev.holdfast.access;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/** The answer to a request of an {@link ApiExtension}. For one thread. */
@ProviderType
public interface ExtensionResponse {
  /**
   * Starts the answer. The caller closes the stream when the body is complete; if the stream is not
   * closed, the server closes the connection, so that the client detects the incomplete answer.
   *
   * @param code HTTP status code
   * @param contentType media type of the body, not null
   * @param length number of bytes of the body, -1 when it is not known
   * @param headers additional headers, not null
   * @return stream for the body, never null
   * @throws IOException when the client closed the connection
   */
  OutputStream begin(int code, String contentType, long length, Map<String, String> headers)
      throws IOException;
}
