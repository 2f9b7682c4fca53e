package dev.holdfast.apiserver.internal;

/** Answers requests; what a server calls. */
public interface ApiHandler {
  /** Answers one request; never throws, failures are answers too. */
  ApiResponse handle(ApiRequest request);
}
