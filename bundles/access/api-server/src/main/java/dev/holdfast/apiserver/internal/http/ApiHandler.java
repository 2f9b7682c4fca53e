package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Answers requests; what a server calls. */
public interface ApiHandler {
  /** Answers one request; never throws, failures are answers too. */
  ApiResponse handle(ApiRequest request);

  /**
   * Returns what answers a request whose bodies are streams, which its head alone decides.
   *
   * @return empty for any other request
   * @throws ApiException when the request is refused, whatever its body
   */
  default Optional<StreamedCall> streamed(ApiRequest head) throws ApiException {
    return Optional.empty();
  }

  /** Answers one request whose bodies are streams. */
  interface StreamedCall {
    /**
     * Answers.
     *
     * @throws StorageException the answer, when none was begun
     * @throws IOException when the client is gone
     */
    void run(InputStream body, ExtensionResponse response) throws StorageException, IOException;
  }

  /**
   * Returns who sends a request, as the limits of the server see it.
   *
   * @throws ApiException when the request is refused, whatever its body
   */
  default Sender sender(ApiRequest head) throws ApiException {
    return new Sender("", true, false, Integer.MAX_VALUE);
  }

  /**
   * Sender of a request.
   *
   * @param name of the user or the node; empty without a credential
   * @param identified whether it has shown a credential that is known
   * @param limited whether the limits of users hold for it
   * @param largestBody bytes that its body may have
   */
  record Sender(String name, boolean identified, boolean limited, int largestBody) {}
}
