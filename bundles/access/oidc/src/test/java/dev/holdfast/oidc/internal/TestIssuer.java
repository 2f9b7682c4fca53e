package dev.holdfast.oidc.internal;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/** Signs tokens, good and bad ones. */
final class TestIssuer {
  static final String CLIENT = "holdfast";
  static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");
  private static final int BITS = 2048;

  final RSAKey key;

  TestIssuer(String keyId) {
    try {
      key = new RSAKeyGenerator(BITS).keyID(keyId).generate();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns the claims of a good token. */
  static JWTClaimsSet.Builder claims(String issuer) {
    return new JWTClaimsSet.Builder()
        .issuer(issuer)
        .audience(CLIENT)
        .subject("alice")
        .claim("groups", List.of("storage", "visitors"))
        .issueTime(Date.from(NOW))
        .expirationTime(Date.from(NOW.plusSeconds(300)));
  }

  String token(JWTClaimsSet claims) {
    try {
      JWSHeader header = new JWSHeader.Builder(JWSAlgorithm.RS256).keyID(key.getKeyID()).build();
      SignedJWT jwt = new SignedJWT(header, claims);
      jwt.sign(new RSASSASigner(key));
      return jwt.serialize();
    } catch (JOSEException e) {
      throw new IllegalStateException(e);
    }
  }
}
