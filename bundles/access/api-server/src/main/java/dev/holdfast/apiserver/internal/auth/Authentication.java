package dev.holdfast.apiserver.internal.auth;

import dev.holdfast.access.AccessControl;
import dev.holdfast.access.Caller;
import dev.holdfast.access.ClusterUsers;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.TokenCheck;
import dev.holdfast.access.TokenSecret;
import dev.holdfast.access.UserCredential;
import dev.holdfast.apiserver.internal.http.ApiException;
import dev.holdfast.apiserver.internal.http.ApiRequest;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.CertificateException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Identifies the sender of a request by the bearer token, the session of a browser, or the
 * certificate of the connection; the first one present is used.
 */
public final class Authentication implements TokenCheck {
  private static final Set<String> OPEN = Set.of("livez", "readyz", "healthz", "version");
  private static final Set<List<String>> JOINING =
      Set.of(List.of("cluster", "v1", "authority"), List.of("cluster", "v1", "join"));
  private static final String SCHEME = "Bearer ";
  private static final int UNAUTHORIZED = 401;

  private final byte[] token;
  private final String administrator;
  private final KnownMembers members;
  private final AccessControl access;
  private final Browsers browsers;
  private final Supplier<Optional<IdentityProvider>> identities;
  private final Supplier<Optional<ClusterUsers>> clusterUsers;
  private final UserCertificates certificates;
  private final InstantSource clock;

  /** Finds the credentials of browser sessions. */
  @FunctionalInterface
  public interface Browsers {
    /**
     * Returns the credential of the browser that sends a request; empty for another client.
     *
     * @throws StorageException FORBIDDEN when the browser may not send this request
     */
    Optional<String> credentialOf(ApiRequest request) throws StorageException;
  }

  /**
   * Admits the administrator, and users of access tokens, of an identity provider, of the cluster
   * that keeps the resources and of certificates. Admits nodes as soon as the members are known.
   */
  public Authentication(
      KnownMembers members,
      AccessControl access,
      Browsers browsers,
      Supplier<Optional<IdentityProvider>> identities,
      Supplier<Optional<ClusterUsers>> clusterUsers,
      UserCertificates certificates,
      InstantSource clock) {
    this.token = members.token().getBytes(StandardCharsets.UTF_8);
    this.administrator = identifier(members.token());
    this.members = members;
    this.access = access;
    this.browsers = browsers;
    this.identities = identities;
    this.clusterUsers = clusterUsers;
    this.certificates = certificates;
    this.clock = clock;
  }

  @Override
  public Optional<String> credentialOf(String given) throws StorageException {
    if (MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8))) {
      return Optional.of(administrator);
    }
    if (given.isEmpty() || given.startsWith(TokenSecret.PREFIX)) {
      return access.callerOf(given).map(caller -> new TokenSecret(given).hash());
    }
    Optional<ClusterUsers> cluster = clusterUsers.get();
    return cluster.isPresent()
        ? cluster
            .get()
            .review(given)
            .map(user -> ClusterSession.of(user, given, clock.instant()).text())
        : Optional.empty();
  }

  private static String identifier(String secret) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256")
              .digest(("credential of " + secret).getBytes(StandardCharsets.UTF_8));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Returns the sender of a request.
   *
   * @throws ApiException 401 for a missing or wrong credential; 503 if it cannot be verified yet
   */
  public Caller require(ApiRequest request) throws ApiException {
    return sender(
        request,
        given -> user(given).orElseThrow(ApiException::unauthorized),
        Authentication::verified,
        Authentication::reviewed);
  }

  /**
   * Returns the sender of a request without reading the store, for threads that must not block. A
   * token that is not known in memory results in an anonymous sender.
   *
   * @throws ApiException as {@link #require}
   */
  public Caller knownSender(ApiRequest request) throws ApiException {
    return sender(
        request,
        given ->
            TokenSecret.isWellFormed(given)
                ? withHash(new TokenSecret(given).hash()).orElse(Caller.ANONYMOUS)
                : Caller.ANONYMOUS,
        (provider, given) ->
            provider
                .known(given)
                .or(() -> clusterUsers.get().flatMap(users -> users.known(given)))
                .map(Caller::ofUser)
                .orElse(Caller.ANONYMOUS),
        (users, given) ->
            Optional.of(users.known(given).map(Caller::ofUser).orElse(Caller.ANONYMOUS)));
  }

  /** Recognizes access tokens. */
  private interface Users {
    Caller callerOf(String given) throws ApiException;
  }

  /** Recognizes tokens of an identity provider. */
  private interface Identities {
    Caller callerOf(IdentityProvider provider, String given) throws ApiException;
  }

  /** Recognizes tokens of the cluster that keeps the resources. */
  private interface Reviews {
    Optional<Caller> callerOf(ClusterUsers users, String given) throws ApiException;
  }

  private static Optional<Caller> reviewed(ClusterUsers users, String given) throws ApiException {
    try {
      return users.review(given).map(Caller::ofUser);
    } catch (StorageException e) {
      throw e.code().retryable()
          ? ApiException.notKnownYet(e.getMessage())
          : ApiException.unauthorized(e.getMessage());
    }
  }

  private static Caller verified(IdentityProvider provider, String given) throws ApiException {
    try {
      return Caller.ofUser(provider.verify(given));
    } catch (StorageException e) {
      throw e.code().retryable()
          ? ApiException.notKnownYet(e.getMessage())
          : ApiException.unauthorized(e.getMessage());
    }
  }

  /**
   * Returns whether a token has the form of OpenID Connect tokens, which have three parts separated
   * by dots. Other tokens contain no dot.
   */
  private static boolean isOfAProvider(String given) {
    return given.chars().filter(c -> c == '.').count() == 2;
  }

  private Caller sender(ApiRequest request, Users users, Identities verifier, Reviews reviews)
      throws ApiException {
    if (isOpen(request.path())) {
      return Caller.ANONYMOUS;
    }
    Optional<String> sent = bearer(request.header("Authorization"));
    if (sent.isEmpty()) {
      return browser(request);
    }
    String given = sent.get();
    if (MessageDigest.isEqual(token, given.getBytes(StandardCharsets.UTF_8))) {
      return Caller.ADMINISTRATOR;
    } else if (given.startsWith(TokenSecret.PREFIX)) {
      return users.callerOf(given);
    }
    Optional<IdentityProvider> provider = identities.get();
    if (provider.isPresent() && isOfAProvider(given)) {
      return ofAProvider(provider.get(), given, verifier, reviews);
    }
    // A refusal is permanent for clients, but this caller may become known soon.
    if (members.areAwaited()) {
      throw ApiException.membersNotKnown();
    }
    Optional<String> node = members.cluster().get().flatMap(cluster -> cluster.nodeOf(given));
    if (node.isPresent()) {
      return Caller.ofNode(node.get());
    }
    Optional<ClusterUsers> cluster = clusterUsers.get();
    Optional<Caller> user =
        cluster.isPresent() ? reviews.callerOf(cluster.get(), given) : Optional.empty();
    return user.orElseThrow(ApiException::unauthorized);
  }

  /**
   * Returns the user of an identity provider, or of the cluster, whose tokens can have the same
   * form.
   */
  private Caller ofAProvider(
      IdentityProvider provider, String given, Identities verifier, Reviews reviews)
      throws ApiException {
    try {
      return verifier.callerOf(provider, given);
    } catch (ApiException e) {
      Optional<ClusterUsers> cluster = clusterUsers.get();
      if (cluster.isEmpty() || e.status().code() != UNAUTHORIZED) {
        throw e;
      }
      return reviews.callerOf(cluster.get(), given).orElseThrow(() -> e);
    }
  }

  private Optional<Caller> user(String given) throws ApiException {
    try {
      return access.callerOf(given);
    } catch (StorageException e) {
      throw ApiException.notKnownYet(e.getMessage());
    }
  }

  /** Returns the user of a session, which ends with the credential that signed in. */
  private Caller browser(ApiRequest request) throws ApiException {
    Optional<String> credential;
    try {
      credential = browsers.credentialOf(request);
    } catch (StorageException e) {
      throw e.code().retryable()
          ? ApiException.notKnownYet(e.getMessage())
          : ApiException.forbidden(e.getMessage());
    }
    return credential.isEmpty() ? certified(request) : holder(credential.get());
  }

  /** Returns the holder of a credential of {@link #credentialOf}. */
  Caller holder(String credential) throws ApiException {
    if (credential.equals(administrator)) {
      return Caller.ADMINISTRATOR;
    }
    Optional<ClusterSession> ofCluster = ClusterSession.parse(credential);
    if (ofCluster.isPresent()) {
      return callerOf(ofCluster.get());
    }
    Optional<UserCredential> user = UserCredential.parse(credential);
    if (user.isPresent()) {
      return identities
          .get()
          .filter(provider -> provider.accepts(user.get()))
          .map(provider -> Caller.ofUser(user.get()))
          .orElseThrow(ApiException::unauthorized);
    }
    return withHash(credential).orElseThrow(ApiException::unauthorized);
  }

  private Caller callerOf(ClusterSession session) throws ApiException {
    if (session.isOver(clock.instant())) {
      throw ApiException.unauthorized();
    }
    return clusterUsers
        .get()
        .filter(users -> users.accepts(session.user()))
        .map(users -> Caller.ofUser(session.user()))
        .orElseThrow(ApiException::unauthorized);
  }

  private Caller certified(ApiRequest request) throws ApiException {
    if (request.certificates().isEmpty() || isOfAPage(request)) {
      throw ApiException.unauthorized();
    }
    try {
      return Caller.ofUser(certificates.userOf(request.certificates()));
    } catch (CertificateException e) {
      throw ApiException.unauthorized("the certificate is not admitted: " + e.getMessage());
    }
  }

  /**
   * Returns whether a page sent the request. Browsers present the user's certificate for requests
   * of every page, including pages of other sites.
   */
  private static boolean isOfAPage(ApiRequest request) {
    return request.header("Origin").isPresent()
        || request.header("Sec-Fetch-Site").filter(site -> !site.equals("none")).isPresent();
  }

  private Optional<Caller> withHash(String hash) throws ApiException {
    try {
      return access.callerWith(hash);
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
