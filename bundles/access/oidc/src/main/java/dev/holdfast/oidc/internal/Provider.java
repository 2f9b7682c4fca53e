package dev.holdfast.oidc.internal;

import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.Resource;
import com.nimbusds.jwt.JWTClaimsSet;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.InstantSource;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** A provider with known metadata: its sign-in and its tokens. Thread-safe. */
final class Provider {
  private final Metadata metadata;
  private final OidcSettings settings;
  private final ProviderHttp http;
  private final TokenVerifier verifier;

  private Provider(
      Metadata metadata, OidcSettings settings, ProviderHttp http, TokenVerifier verifier) {
    this.metadata = metadata;
    this.settings = settings;
    this.http = http;
    this.verifier = verifier;
  }

  /** Reads the metadata; parameters and errors as {@link Metadata#of}. */
  static Provider discover(OidcSettings settings, ProviderHttp http, InstantSource clock)
      throws StorageException {
    Metadata metadata = Metadata.of(settings.issuer(), http);
    return new Provider(
        metadata,
        settings,
        http,
        new TokenVerifier(settings.issuer(), settings.clientId(), keys(metadata, http), clock));
  }

  /**
   * Returns a source of keys, which are read every 5 minutes, and at most every 30 s for a token
   * with an unknown key.
   */
  private static JWKSource<SecurityContext> keys(Metadata metadata, ProviderHttp http)
      throws StorageException {
    try {
      return JWKSourceBuilder.create(
              metadata.keys().toURL(),
              url -> {
                try {
                  ProviderHttp.Answer answer = http.get(URI.create(url.toString()));
                  if (!answer.isOk()) {
                    throw new IOException("the provider answered " + answer.code());
                  }
                  return new Resource(answer.body().toString(), "application/json");
                } catch (StorageException e) {
                  throw new IOException(e.getMessage(), e);
                }
              })
          .refreshAheadCache(false)
          .build();
    } catch (MalformedURLException e) {
      throw new StorageException(ErrorCode.INVALID, metadata.keys() + " is not an address", e);
    }
  }

  /** Returns the address at which a browser signs in. */
  URI authorization(SignInRequest request) {
    Map<String, String> parameters = new LinkedHashMap<>();
    parameters.put("response_type", "code");
    parameters.put("client_id", settings.clientId());
    parameters.put("redirect_uri", request.callback().toString());
    parameters.put("scope", "openid profile email groups");
    parameters.put("state", request.state());
    parameters.put("nonce", request.nonce());
    parameters.put("code_challenge", challenge(request.verifier()));
    parameters.put("code_challenge_method", "S256");
    String query =
        parameters.entrySet().stream()
            .map(entry -> entry.getKey() + "=" + ProviderHttp.encoded(entry.getValue()))
            .collect(Collectors.joining("&"));
    String address = metadata.authorization().toString();
    return URI.create(address + (address.contains("?") ? "&" : "?") + query);
  }

  private static String challenge(String verifier) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII));
      return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /**
   * Exchanges a code for the claims of the user.
   *
   * @param secret of the client, empty for a public client
   */
  JWTClaimsSet redeem(SignInRequest request, String code, String secret) throws StorageException {
    Map<String, String> form = new LinkedHashMap<>();
    form.put("grant_type", "authorization_code");
    form.put("code", code);
    form.put("redirect_uri", request.callback().toString());
    form.put("code_verifier", request.verifier());
    if (secret.isEmpty()) {
      form.put("client_id", settings.clientId());
    }
    ProviderHttp.Answer answer = http.post(metadata.token(), form, authorization(secret));
    if (!answer.isOk()) {
      String error = answer.body().path("error").asText("no error code");
      throw new StorageException(
          answer.code() >= 500 ? ErrorCode.UNREACHABLE : ErrorCode.FORBIDDEN,
          "the identity provider refused the sign-in: " + answer.code() + " " + error);
    }
    JWTClaimsSet claims = verifier.verify(answer.body().path("id_token").asText());
    if (!Objects.equals(claims.getClaim("nonce"), request.nonce())) {
      throw new StorageException(
          ErrorCode.FORBIDDEN, "the nonce of the token is not that of this sign-in: sign in again");
    }
    return claims;
  }

  private String authorization(String secret) {
    if (secret.isEmpty()) {
      return "";
    }
    String pair = ProviderHttp.encoded(settings.clientId()) + ":" + ProviderHttp.encoded(secret);
    return "Basic " + Base64.getEncoder().encodeToString(pair.getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the claims of a token that a client of the API sent. */
  JWTClaimsSet verify(String token) throws StorageException {
    return verifier.verify(token);
  }
}
