package dev.holdfast.apiserver.internal.http;

/** Answers requests; what a server calls. */
public interface ApiHandler {
  /** Answers one request; never throws, failures are answers too. */
  ApiResponse handle(ApiRequest request);

  /**
   * Returns how many bytes the body of a request may have, which its head alone decides.
   *
   * @throws ApiException when the request is refused, whatever its body
   */
  default int largestBody(ApiRequest head) throws ApiException {
    return Integer.MAX_VALUE;
  }
}
