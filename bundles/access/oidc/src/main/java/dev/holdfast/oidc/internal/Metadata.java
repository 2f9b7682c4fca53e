package dev.holdfast.oidc.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;

/**
 * Addresses of a provider from OpenID Connect Discovery 1.0.
 *
 * @param issuer issuer in tokens
 * @param authorization address of the sign-in
 * @param token address of the code exchange
 * @param keys address of the published keys
 */
record Metadata(String issuer, URI authorization, URI token, URI keys) {
  private static final String WELL_KNOWN = "/.well-known/openid-configuration";
  private static final Set<String> LOOPBACK = Set.of("127.0.0.1", "[::1]", "localhost");

  /**
   * Reads the metadata of an issuer.
   *
   * @throws StorageException UNREACHABLE when the provider does not answer; INVALID when its answer
   *     or the issuer is unusable
   */
  static Metadata of(String issuer, ProviderHttp http) throws StorageException {
    URI address = secure("setting oidc-issuer", issuer.replaceFirst("/$", "") + WELL_KNOWN);
    ProviderHttp.Answer answer = http.get(address);
    if (!answer.isOk()) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "the identity provider answered "
              + answer.code()
              + " at "
              + ProviderHttp.place(address)
              + ": check the setting oidc-issuer");
    }
    JsonNode body = answer.body();
    if (!body.path("issuer").asText().equals(issuer)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the provider at "
              + ProviderHttp.place(address)
              + " calls itself \""
              + body.path("issuer").asText()
              + "\": set oidc-issuer to exactly that, if it is the right one");
    }
    return new Metadata(
        issuer,
        endpoint(body, "authorization_endpoint"),
        endpoint(body, "token_endpoint"),
        endpoint(body, "jwks_uri"));
  }

  private static URI endpoint(JsonNode body, String field) throws StorageException {
    return secure(field + " of the identity provider", body.path(field).asText());
  }

  /**
   * Returns an address if it uses TLS, because tokens and codes must not cross a network
   * unencrypted.
   */
  private static URI secure(String what, String address) throws StorageException {
    try {
      URI uri = new URI(address);
      boolean encrypted = "https".equals(uri.getScheme());
      boolean local = "http".equals(uri.getScheme()) && LOOPBACK.contains(uri.getHost());
      if (uri.getHost() != null && (encrypted || local)) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw new StorageException(
          ErrorCode.INVALID, what + ": \"" + address + "\" is not an address", e);
    }
    throw new StorageException(
        ErrorCode.INVALID,
        what + ": \"" + address + "\": expected an address that begins with https://");
  }
}
