package dev.holdfast.oidc.internal;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.RemoteKeySourceException;
import com.nimbusds.jose.crypto.factories.DefaultJWSVerifierFactory;
import com.nimbusds.jose.jwk.JWKMatcher;
import com.nimbusds.jose.jwk.JWKSelector;
import com.nimbusds.jose.jwk.KeyConverter;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.security.Key;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.List;
import java.util.Optional;

/**
 * Verifies ID tokens by OpenID Connect Core 1.0, section 3.1.3.7. Rejections contain the reason.
 * Thread-safe.
 */
final class TokenVerifier {
  /** Tolerated difference between clocks. */
  static final Duration SKEW = Duration.ofSeconds(60);

  private static final List<JWSAlgorithm> ALGORITHMS =
      List.of(
          JWSAlgorithm.RS256,
          JWSAlgorithm.RS384,
          JWSAlgorithm.RS512,
          JWSAlgorithm.PS256,
          JWSAlgorithm.PS384,
          JWSAlgorithm.PS512,
          JWSAlgorithm.ES256,
          JWSAlgorithm.ES384,
          JWSAlgorithm.ES512);

  private final String issuer;
  private final String clientId;
  private final JWKSource<SecurityContext> keys;
  private final InstantSource clock;
  private final DefaultJWSVerifierFactory verifiers = new DefaultJWSVerifierFactory();

  TokenVerifier(
      String issuer, String clientId, JWKSource<SecurityContext> keys, InstantSource clock) {
    this.issuer = issuer;
    this.clientId = clientId;
    this.keys = keys;
    this.clock = clock;
  }

  /**
   * Returns the claims of a valid token.
   *
   * @throws StorageException FORBIDDEN with the reason; UNREACHABLE when the keys of the provider
   *     cannot be read
   */
  JWTClaimsSet verify(String token) throws StorageException {
    try {
      SignedJWT jwt = SignedJWT.parse(token);
      // Before the signature, so that a token of another provider is reported as another issuer and
      // not as an unknown key.
      JWTClaimsSet claims = jwt.getJWTClaimsSet();
      requireIssuer(claims);
      requireSignature(jwt);
      requireAudience(claims);
      requireTime(claims);
      return claims;
    } catch (ParseException e) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "the token is not a signed token of OpenID Connect", e);
    }
  }

  private void requireIssuer(JWTClaimsSet claims) throws StorageException {
    if (!issuer.equals(claims.getIssuer())) {
      throw refused(
          "the token was issued by \"" + claims.getIssuer() + "\", expected \"" + issuer + "\"");
    }
  }

  private void requireSignature(SignedJWT jwt) throws StorageException {
    JWSHeader header = jwt.getHeader();
    if (!ALGORITHMS.contains(header.getAlgorithm())) {
      throw refused(
          "the token is signed by " + header.getAlgorithm() + ", expected one of " + ALGORITHMS);
    }
    List<Key> candidates = candidates(header);
    if (candidates.isEmpty()) {
      throw refused("the token is signed by a key that " + issuer + " does not publish");
    }
    try {
      for (Key key : candidates) {
        if (jwt.verify(verifiers.createJWSVerifier(header, key))) {
          return;
        }
      }
    } catch (JOSEException e) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "the signature of the token cannot be checked", e);
    }
    throw refused("the signature of the token is wrong");
  }

  private List<Key> candidates(JWSHeader header) throws StorageException {
    try {
      return KeyConverter.toJavaKeys(
          keys.get(new JWKSelector(JWKMatcher.forJWSHeader(header)), null));
    } catch (RemoteKeySourceException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE, "the keys of " + issuer + " cannot be read: try again", e);
    } catch (KeySourceException e) {
      // The keys were read recently and are not read again for each unknown key.
      return List.of();
    }
  }

  private void requireAudience(JWTClaimsSet claims) throws StorageException {
    List<String> audience = claims.getAudience();
    Optional<Object> party = Optional.ofNullable(claims.getClaim("azp"));
    boolean forOthersToo = audience.size() > 1 && party.isEmpty();
    if (!audience.contains(clientId)
        || forOthersToo
        || party.filter(found -> !found.equals(clientId)).isPresent()) {
      throw refused(
          "the token is for "
              + audience
              + party.map(found -> " and used by " + found).orElse("")
              + ", expected \""
              + clientId
              + "\": see the setting oidc-client-id");
    }
  }

  private void requireTime(JWTClaimsSet claims) throws StorageException {
    Instant now = clock.instant();
    Instant end =
        time(claims.getExpirationTime()).orElseThrow(() -> refused("the token has no expiry"));
    if (!now.isBefore(end.plus(SKEW))) {
      throw refused("the token expired at " + end + ": sign in again");
    }
    Optional<Instant> begin = time(claims.getNotBeforeTime()).or(() -> time(claims.getIssueTime()));
    if (begin.filter(found -> now.plus(SKEW).isBefore(found)).isPresent()) {
      throw refused(
          "the token is valid from " + begin.get() + ": compare the clocks of node and provider");
    }
  }

  private static Optional<Instant> time(Date date) {
    return Optional.ofNullable(date).map(Date::toInstant);
  }

  private static StorageException refused(String reason) {
    return new StorageException(ErrorCode.FORBIDDEN, reason);
  }
}
