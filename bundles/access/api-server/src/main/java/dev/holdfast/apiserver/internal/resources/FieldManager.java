package dev.holdfast.apiserver.internal.resources;

import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;

/** Determines the manager of the fields that a request writes. */
final class FieldManager {
  private static final int LONGEST = 128;

  private FieldManager() {}

  /** Returns the name that a server-side apply must supply. */
  static String required(ApiRequest request) throws ApiException {
    String name = request.parameter("fieldManager").orElse("");
    if (name.isEmpty()) {
      throw ApiException.badRequest("fieldManager: Required value: is required for apply patch");
    }
    return checked(name);
  }

  /** Returns the given name, or the name in the client's User-Agent. */
  static String of(ApiRequest request) throws ApiException {
    String agent = request.header("User-Agent").orElse("").split("/", 2)[0].strip();
    String fallback = agent.isEmpty() ? "unknown" : agent;
    return checked(
        request
            .parameter("fieldManager")
            .orElse(fallback.substring(0, Math.min(fallback.length(), LONGEST))));
  }

  private static String checked(String name) throws ApiException {
    if (name.length() > LONGEST || name.chars().anyMatch(Character::isISOControl)) {
      throw ApiException.badRequest(
          "fieldManager must have at most " + LONGEST + " printable characters");
    }
    return name;
  }
}
