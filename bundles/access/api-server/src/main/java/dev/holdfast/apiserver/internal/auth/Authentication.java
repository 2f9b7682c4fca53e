package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.Caller;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Tells by the bearer token who sends a request. */
public final class Authentication {
  private static final Set<String> OPEN = Set.of("livez", "readyz", "healthz", "version");
  private static final Set<List<String>> JOINING =
      Set.of(List.of("cluster", "v1", "authority"), List.of("cluster", "v1", "join"));
  private static final String SCHEME = "Bearer ";

  private final byte[] token;
  private final KnownMembers members;
  private final AccessControl access;

  /** Knows the administrator, users with access tokens, and nodes once the members are there. */
  public Authentication(KnownMembers members, AccessControl access) {
    this.token = members.token().getBytes(StandardCharsets.UTF_8);
    this.members = members;
    this.access = access;
  }

  /**
   * Returns the sender of a request.
   *
   * @throws ApiException 401 for a missing or wrong credential; 503 if it cannot be judged yet
   */
  public Caller require(ApiRequest request) throws ApiException {
    if (isOpen(request.path())) {
      return Caller.ANONYMOUS;
    }
    String given = bearer(request.header("Authorization")).orElseThrow(ApiException::unauthorized);
    if (MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8))) {
      return Caller.ADMINISTRATOR;
    } else if (given.startsWith(TokenSecret.PREFIX)) {
      return user(given).orElseThrow(ApiException::unauthorized);
    }
    // A refusal is permanent for clients; this caller may be known soon.
    if (members.areAwaited()) {
      throw ApiException.membersNotKnown();
    }
    return members
        .cluster()
        .get()
        .flatMap(cluster -> cluster.nodeOf(given))
        .map(Caller::ofNode)
        .orElseThrow(ApiException::unauthorized);
  }

  private Optional<Caller> user(String given) throws ApiException {
    try {
      return access.callerOf(given);
    } catch (StorageException e) {
      throw ApiException.notKnownYet(e.getMessage());
    }
  }

  private static boolean isOpen(List<String> path) {
    return (path.size() == 1 && OPEN.contains(path.get(0))) || JOINING.contains(path);
  }

  private static Optional<String> bearer(Optional<String> header) {
    return header
        .filter(h -> h.regionMatches(true, 0, SCHEME, 0, SCHEME.length()))
        .map(h -> h.substring(SCHEME.length()).strip());
  }
}
