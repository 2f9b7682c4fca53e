package dev.holdfast.oidc.internal;

import static dev.holdfast.oidc.internal.TestIssuer.CLIENT;
import static dev.holdfast.oidc.internal.TestIssuer.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.ImmutableJWKSet;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import com.nimbusds.jwt.SignedJWT;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Good and bad tokens. Each bad one is refused with its reason. */
class TokenVerifierTest {
  private static final String ISSUER = "https://login.example";
  private static final TestIssuer KEYS = new TestIssuer("key-1");
  private static final TestIssuer OTHER_KEYS = new TestIssuer("key-1");

  private Instant now = NOW;
  private final TokenVerifier verifier =
      new TokenVerifier(
          ISSUER, CLIENT, new ImmutableJWKSet<>(new JWKSet(KEYS.key.toPublicJWK())), () -> now);

  private static JWTClaimsSet.Builder claims() {
    return TestIssuer.claims(ISSUER);
  }

  private void refuses(String token, String reason) {
    assertThatThrownBy(() -> verifier.verify(token))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.FORBIDDEN))
        .hasMessageContaining(reason);
  }

  @Test
  void goodTokenIsAccepted() throws Exception {
    assertThat(verifier.verify(KEYS.token(claims().build())).getSubject()).isEqualTo("alice");
  }

  @Test
  void tokenOfAnotherIssuerIsRefused() {
    refuses(
        KEYS.token(TestIssuer.claims("https://evil.example").build()),
        "the token was issued by \"https://evil.example\", expected \"" + ISSUER + "\"");
    refuses(KEYS.token(claims().issuer(null).build()), "issued by \"null\"");
  }

  @Test
  void tokenForAnotherClientIsRefused() {
    refuses(
        KEYS.token(claims().audience("wiki").build()),
        "the token is for [wiki], expected \"holdfast\"");
    refuses(KEYS.token(claims().audience((String) null).build()), "the token is for []");
  }

  @Test
  void tokenForSeveralClientsMustNameThisOneAsItsUser() throws Exception {
    JWTClaimsSet.Builder several = claims().audience(List.of(CLIENT, "wiki"));
    refuses(KEYS.token(several.build()), "the token is for [holdfast, wiki]");
    refuses(KEYS.token(several.claim("azp", "wiki").build()), "used by wiki");
    assertThat(verifier.verify(KEYS.token(several.claim("azp", CLIENT).build()))).isNotNull();
  }

  @Test
  void expiredTokenIsRefused() throws Exception {
    String token = KEYS.token(claims().build());
    now = NOW.plusSeconds(300).plus(TokenVerifier.SKEW).minusMillis(1);
    assertThat(verifier.verify(token)).isNotNull();
    now = NOW.plusSeconds(300).plus(TokenVerifier.SKEW);
    refuses(token, "the token expired at 2026-01-01T00:05:00Z");
    refuses(KEYS.token(claims().expirationTime(null).build()), "has no expiry");
  }

  @Test
  void tokenOfTheFutureIsRefused() {
    Date later = Date.from(NOW.plus(TokenVerifier.SKEW).plusSeconds(1));
    refuses(KEYS.token(claims().notBeforeTime(later).build()), "compare the clocks");
    refuses(KEYS.token(claims().issueTime(later).build()), "compare the clocks");
  }

  @Test
  void tokenOfAnUnknownKeyIsRefused() {
    refuses(
        new TestIssuer("key-2").token(claims().build()),
        "signed by a key that " + ISSUER + " does not publish");
  }

  @Test
  void tokenOfAnotherKeyOfTheSameNameIsRefused() {
    refuses(OTHER_KEYS.token(claims().build()), "the signature of the token is wrong");
  }

  @Test
  void changedTokenIsRefused() {
    String token = KEYS.token(claims().build());
    String changed = KEYS.token(claims().subject("root").build());
    String[] parts = token.split("\\.", -1);
    refuses(
        parts[0] + "." + changed.split("\\.", -1)[1] + "." + parts[2],
        "the signature of the token is wrong");
  }

  @Test
  void tokenWithoutASignatureIsRefused() {
    refuses(new PlainJWT(claims().build()).serialize(), "is not a signed token");
  }

  @Test
  void tokenSignedByThePublicKeyAsAPasswordIsRefused() throws Exception {
    SignedJWT jwt =
        new SignedJWT(
            new JWSHeader.Builder(JWSAlgorithm.HS256).keyID("key-1").build(), claims().build());
    jwt.sign(new MACSigner(KEYS.key.toRSAPublicKey().getEncoded()));

    refuses(jwt.serialize(), "the token is signed by HS256");
  }

  @Test
  void otherTextIsRefused() {
    refuses("a.b.c", "is not a signed token of OpenID Connect");
    refuses("", "is not a signed token of OpenID Connect");
  }
}
