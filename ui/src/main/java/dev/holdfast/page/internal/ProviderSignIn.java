package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootRequest;
import dev.holdfast.access.SignInRequest;
import dev.holdfast.access.UserCredential;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The paths below {@code /page/v1/oidc}.
 *
 * <pre>
 *  browser ── GET oidc ──► whether there is a provider
 *          ── POST oidc/begin ──► its address, and a cookie for 10 minutes
 *          ── signs in at the provider, which sends it back
 *          ── GET oidc/callback?code&amp;state ──► the cookie of a session
 * </pre>
 */
final class ProviderSignIn {
  /** Lax, because the provider's page causes the request with it; it is of no use alone. */
  static final String COOKIE = "__Host-holdfast-oidc";

  private static final String ATTRIBUTES = "; Path=/; Secure; HttpOnly; SameSite=Lax; Max-Age=";
  private static final String FOLDER = "/page/";

  private final Supplier<Optional<IdentityProvider>> provider;
  private final PendingSignIns pending;
  private final SessionTable sessions;
  private final SignInAudit audit;

  ProviderSignIn(
      Supplier<Optional<IdentityProvider>> provider,
      PendingSignIns pending,
      SessionTable sessions,
      SignInAudit audit) {
    this.provider = provider;
    this.pending = pending;
    this.sessions = sessions;
    this.audit = audit;
  }

  /** Answers a request; the path is what follows {@code oidc}. */
  void answer(List<String> path, RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    String call = request.method() + " " + String.join("/", path);
    switch (call) {
      case "GET " ->
          PageResponses.json(
              response,
              200,
              JsonNodeFactory.instance.objectNode().put("configured", configured().isPresent()),
              Map.of());
      case "POST begin" -> begin(request, response);
      case "GET callback" -> callback(request, response);
      default ->
          PageResponses.refusal(response, 404, "NotFound", "the page does not have this path");
    }
  }

  private Optional<IdentityProvider> configured() {
    return provider.get().filter(IdentityProvider::isConfigured);
  }

  private IdentityProvider required() throws StorageException {
    return configured()
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.FORBIDDEN,
                    "this cluster uses no identity provider: set oidc-issuer and oidc-client-id"));
  }

  private void begin(RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    BrowserRequest browser = new BrowserRequest(request.method(), request.headers());
    if (!browser.isOfThePage()) {
      refused(request, "only the page of this server signs in");
      PageResponses.refusal(response, 403, "Forbidden", "only the page of this server signs in");
      return;
    }
    JsonNode body = RequestBody.json(request);
    Optional<URI> callback =
        callbackBelow(body.path("address").asText(), request.header("Origin").orElse(""));
    if (callback.isEmpty()) {
      PageResponses.refusal(
          response, 400, "BadRequest", "address: expected the address of the page, with /page/");
      return;
    }
    PendingSignIns.Begun begun = pending.begin(callback.get());
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.put("location", required().begin(begun.request()).toString());
    PageResponses.json(
        response,
        200,
        answer,
        Map.of("Set-Cookie", cookie(begun.browser(), PendingSignIns.VALID.toSeconds())));
  }

  /** The page tells its address, because a proxy may add a prefix; its origin cannot be forged. */
  private static Optional<URI> callbackBelow(String address, String origin) {
    try {
      URI page = new URI(address);
      boolean own =
          page.getUserInfo() == null
              && page.getQuery() == null
              && page.getFragment() == null
              && address.startsWith(origin + "/")
              && address.endsWith(FOLDER);
      return own ? Optional.of(page.resolve("v1/oidc/callback")) : Optional.empty();
    } catch (URISyntaxException e) {
      return Optional.empty();
    }
  }

  private void callback(RootRequest request, ExtensionResponse response) throws IOException {
    BrowserRequest browser = new BrowserRequest(request.method(), request.headers());
    Map<String, String> parameters = request.parameters();
    UserCredential user;
    try {
      SignInRequest begun =
          pending
              .end(parameters.getOrDefault("state", ""), browser.cookie(COOKIE))
              .orElseThrow(
                  () ->
                      refusal(
                          "this sign-in did not begin in this browser, was used, or is older than"
                              + " 10 minutes"));
      String error = parameters.getOrDefault("error", "");
      if (!error.isEmpty()) {
        throw refusal("the identity provider refused the sign-in: " + printable(error));
      }
      user = required().finish(begun, parameters.getOrDefault("code", ""));
    } catch (StorageException e) {
      refused(request, e.getMessage());
      PageResponses.notice(
          response, e.code().retryable() ? 503 : 403, "Not signed in: " + e.getMessage(), "");
      return;
    }
    // A secret that was there before the sign-in, such as one that another site planted, is void.
    browser.secret().ifPresent(sessions::end);
    String secret = sessions.begin(new OneTimeCodes.Grant(user.text(), false));
    audit.admitted(request, user);
    // The browser does not send a Strict cookie while it follows the provider's redirection.
    PageResponses.notice(response, 200, "Signed in.", SignIn.cookie(secret));
  }

  private void refused(RootRequest request, String reason) {
    audit.refused(request, reason);
  }

  private static StorageException refusal(String reason) {
    return new StorageException(ErrorCode.FORBIDDEN, reason);
  }

  private static String printable(String text) {
    String plain = text.replaceAll("[^\\x20-\\x7e]", "?");
    return plain.length() > 100 ? plain.substring(0, 100) : plain;
  }

  private static String cookie(String value, long seconds) {
    return COOKIE + "=" + value + ATTRIBUTES + seconds;
  }
}
