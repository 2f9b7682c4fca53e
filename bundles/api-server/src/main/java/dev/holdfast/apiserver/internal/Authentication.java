package dev.holdfast.apiserver.internal;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.Set;

/** Lets requests through that carry the bearer token. */
final class Authentication {
  private static final Set<String> OPEN = Set.of("livez", "readyz", "healthz", "version");
  private static final String SCHEME = "Bearer ";

  private final byte[] token;

  Authentication(String token) {
    this.token = token.getBytes(StandardCharsets.UTF_8);
  }

  void require(ApiRequest request) throws ApiException {
    boolean open = request.path().size() == 1 && OPEN.contains(request.path().get(0));
    if (!open && !isValid(request.header("Authorization"))) {
      throw ApiException.unauthorized();
    }
  }

  private boolean isValid(Optional<String> header) {
    return header
        .filter(h -> h.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
        .map(h -> h.substring(SCHEME.length()).strip().getBytes(StandardCharsets.UTF_8))
        .filter(given -> MessageDigest.isEqual(token, given))
        .isPresent();
  }
}
