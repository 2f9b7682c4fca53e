package dev.holdfast.apiserver.internal.http;

import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;

/** Handles the requests of a server. */
public interface ApiHandler {
  /** Answers one request. Never throws; failures are answers too. */
  ApiResponse handle(ApiRequest request);

  /**
   * Returns the handler of a request with streamed bodies that needs no permission. Does not block.
   *
   * @return empty for any other request
   */
  default Optional<StreamedCall> openCall(ApiRequest head) {
    return Optional.empty();
  }

  /**
   * Returns the handler of a request with streamed bodies, which checks the permission for its
   * head. Does not block.
   *
   * @return empty for any other request
   */
  default Optional<GuardedCall> guardedCall(ApiRequest head) {
    return Optional.empty();
  }

  /** Checks one request with streamed bodies. */
  interface GuardedCall {
    /**
     * Checks the permission and returns the handler. May read the store and call an identity
     * provider.
     *
     * @throws ApiException when the request is rejected before its body is read
     */
    StreamedCall admit() throws ApiException;
  }

  /** Answers one request with streamed bodies. */
  interface StreamedCall {
    /**
     * Answers the request.
     *
     * @throws StorageException the error that the client receives, if no answer was begun
     * @throws IOException when the client closed the connection
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
   * @param identified whether the credential is known
   * @param limited whether the limits of users apply
   * @param largestBody largest permitted body in bytes
   */
  record Sender(String name, boolean identified, boolean limited, int largestBody) {}
}
