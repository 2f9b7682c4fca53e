package dev.holdfast.apiserver.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Tells by the bearer token who sends a request. */
final class Authentication {
  private static final Set<String> OPEN = Set.of("livez", "readyz", "healthz", "version");
  private static final Set<List<String>> JOINING =
      Set.of(List.of("cluster", "v1", "authority"), List.of("cluster", "v1", "join"));
  private static final String SCHEME = "Bearer ";

  private final byte[] token;
  private final Function<String, Optional<String>> nodeOf;

  /**
   * Knows the administrator and the nodes.
   *
   * @param token the administrator's
   * @param nodeOf tells whose credential something is
   */
  Authentication(String token, Function<String, Optional<String>> nodeOf) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
    this.nodeOf = nodeOf;
  }

  Caller require(ApiRequest request) throws ApiException {
    if (isOpen(request.path())) {
      return Caller.ANYBODY;
    }
    return bearer(request.header("Authorization"))
        .flatMap(this::caller)
        .orElseThrow(ApiException::unauthorized);
  }

  private static boolean isOpen(List<String> path) {
    return (path.size() == 1 && OPEN.contains(path.get(0))) || JOINING.contains(path);
  }

  private static Optional<String> bearer(Optional<String> header) {
    return header
        .filter(h -> h.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
        .map(h -> h.substring(SCHEME.length()).strip());
  }

  private Optional<Caller> caller(String given) {
    return MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8))
        ? Optional.of(Caller.ADMIN)
        : nodeOf.apply(given).map(Caller::node);
  }
}
