package dev.holdfast.page.internal;

import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Properties of a request by which requests of other sites are refused.
 *
 * @param method in upper case
 * @param headers gives the value of a header by its name
 */
record BrowserRequest(String method, Function<String, Optional<String>> headers) {
  /** The browser accepts this prefix only with Secure, the path / and no domain. */
  static final String COOKIE = "__Host-holdfast";

  private static final Set<String> READS = Set.of("GET", "HEAD");

  /** Returns the secret of the session, if the browser sends one. */
  Optional<String> secret() {
    return cookie(COOKIE);
  }

  /** Returns the value of a cookie, if the browser sends it. */
  Optional<String> cookie(String name) {
    for (String part : headers.apply("Cookie").orElse("").split(";", -1)) {
      String[] pair = part.strip().split("=", 2);
      if (pair.length == 2 && pair[0].equals(name) && !pair[1].isEmpty()) {
        return Optional.of(pair[1]);
      }
    }
    return Optional.empty();
  }

  boolean isRead() {
    return READS.contains(method);
  }

  /**
   * Returns whether a script of this page sent the request. A form of another site cannot set the
   * header, and a script of another site would need a permission that this server never gives.
   */
  boolean isOfThePage() {
    Optional<String> host = headers.apply("Host");
    return headers.apply("X-Holdfast-Page").isPresent()
        && host.isPresent()
        && headers.apply("Origin").filter(("https://" + host.get())::equalsIgnoreCase).isPresent();
  }
}
