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
   * Returns what answers a request whose bodies are streams and that needs no permission. Does not
   * block.
   *
   * @return empty for any other request
   */
  default Optional<StreamedCall> openCall(ApiRequest head) {
    return Optional.empty();
  }

  /**
   * Returns what answers a request whose bodies are streams, once its head is permitted. Does not
   * block.
   *
   * @return empty for any other request
   */
  default Optional<GuardedCall> guardedCall(ApiRequest head) {
    return Optional.empty();
  }

  /** Decides about one request whose bodies are streams. */
  interface GuardedCall {
    /**
     * Returns what answers. May read the store and ask an identity provider.
     *
     * @throws ApiException when the request is rejected before its body is read
     */
    StreamedCall admit() throws ApiException;
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
   * Returns the sender of a request for the limits of the server. Does not block.
   *
   * @throws ApiException when the request is rejected before its body is read
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
