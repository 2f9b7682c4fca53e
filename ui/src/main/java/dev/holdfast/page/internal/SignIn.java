package dev.holdfast.page.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.access.ExtensionResponse;
import dev.holdfast.access.RootRequest;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The paths {@code /page/v1/codes} and {@code /page/v1/session}.
 *
 * <pre>
 *  holdfast page ── POST codes, bearer token ──► code, 60 s, once
 *  browser ──────── POST session, code or token ──► cookie
 *                   GET session ──► who is signed in     DELETE session ──► signed out
 * </pre>
 */
final class SignIn {
  private static final Logger LOG = LoggerFactory.getLogger(SignIn.class);
  private static final String SCHEME = "bearer ";
  private static final String ATTRIBUTES = "; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=";

  private final OneTimeCodes codes;
  private final SessionTable sessions;

  SignIn(OneTimeCodes codes, SessionTable sessions) {
    this.codes = codes;
    this.sessions = sessions;
  }

  /** Issues a code to a client that has a token. A browser never does this. */
  void code(RootRequest request, ExtensionResponse response) throws StorageException, IOException {
    if (!request.method().equals("POST")) {
      notAllowed(request, response);
      return;
    }
    String token =
        request
            .header("Authorization")
            .filter(header -> header.toLowerCase(Locale.ROOT).startsWith(SCHEME))
            .map(header -> header.substring(SCHEME.length()).strip())
            .orElse("");
    Optional<String> credential = request.tokens().credentialOf(token);
    if (credential.isEmpty()) {
      refused(response, "a one-time address needs the token of a user: see 'holdfast page'");
      return;
    }
    JsonNode body = RequestBody.json(request);
    String role = body.path("role").asText("admin");
    if (!role.equals("admin") && !role.equals("view")) {
      PageResponses.refusal(
          response, 400, "BadRequest", "role: \"" + role + "\": expected admin or view");
      return;
    }
    String code = codes.issue(new OneTimeCodes.Grant(credential.get(), role.equals("view")));
    ObjectNode answer = JsonNodeFactory.instance.objectNode();
    answer.put("code", code).put("seconds", OneTimeCodes.VALID.toSeconds());
    LOG.info("page: issued a one-time address for a session of role {}", role);
    PageResponses.json(response, 201, answer, Map.of());
  }

  /** Signs in, tells who is signed in, or signs out. */
  void session(RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    BrowserRequest browser = new BrowserRequest(request.method(), request.headers());
    switch (request.method()) {
      case "GET" -> present(browser, response);
      case "POST" -> begin(browser, request, response);
      case "DELETE" -> end(browser, response);
      default -> notAllowed(request, response);
    }
  }

  /** Returns whether a request has a valid session. A page that only asks does not stay in use. */
  boolean isSignedIn(RootRequest request) {
    return new BrowserRequest(request.method(), request.headers())
        .secret()
        .filter(sessions::isValid)
        .isPresent();
  }

  private void present(BrowserRequest browser, ExtensionResponse response) throws IOException {
    Optional<Session> session = browser.secret().flatMap(sessions::use);
    if (session.isEmpty()) {
      PageResponses.refusal(response, 401, "Unauthorized", "not signed in");
    } else {
      PageResponses.json(response, 200, description(session.get().readOnly()), Map.of());
    }
  }

  private void begin(BrowserRequest browser, RootRequest request, ExtensionResponse response)
      throws StorageException, IOException {
    if (!browser.isOfThePage()) {
      refused(response, "only the page of this server signs in");
      return;
    }
    JsonNode body = RequestBody.json(request);
    Optional<OneTimeCodes.Grant> grant = grant(body, request);
    if (grant.isEmpty()) {
      boolean code = body.hasNonNull("code");
      refused(
          response,
          code
              ? "this one-time address was used or is older than 60 s: run 'holdfast page' again"
              : "this token is not known: use the one in the kubeconfig of the node, one of"
                  + " 'holdfast token create', or where Kubernetes is the store one of 'kubectl"
                  + " create token'");
      return;
    }
    // A secret that was there before the sign-in, such as one that another site planted, is void.
    browser.secret().ifPresent(sessions::end);
    String secret = sessions.begin(grant.get());
    LOG.info("page: signed in a browser{}", grant.get().readOnly() ? ", which only reads" : "");
    PageResponses.json(
        response, 201, description(grant.get().readOnly()), Map.of("Set-Cookie", cookie(secret)));
  }

  private Optional<OneTimeCodes.Grant> grant(JsonNode body, RootRequest request)
      throws StorageException {
    if (body.hasNonNull("code")) {
      return codes.redeem(body.path("code").asText());
    }
    return request
        .tokens()
        .credentialOf(body.path("token").asText())
        .map(credential -> new OneTimeCodes.Grant(credential, false));
  }

  private void end(BrowserRequest browser, ExtensionResponse response) throws IOException {
    if (!browser.isOfThePage()) {
      refused(response, "only the page of this server signs out");
      return;
    }
    browser.secret().ifPresent(sessions::end);
    PageResponses.json(
        response,
        200,
        JsonNodeFactory.instance.objectNode(),
        Map.of("Set-Cookie", cookie("", 0), "Clear-Site-Data", "\"cache\", \"storage\""));
  }

  /** Returns the cookie of a session that begins. */
  static String cookie(String secret) {
    return cookie(secret, SessionTable.LONGEST.toSeconds());
  }

  private static String cookie(String secret, long seconds) {
    return BrowserRequest.COOKIE + "=" + secret + ATTRIBUTES + seconds;
  }

  private static ObjectNode description(boolean readOnly) {
    return JsonNodeFactory.instance.objectNode().put("role", readOnly ? "view" : "admin");
  }

  private static void refused(ExtensionResponse response, String message) throws IOException {
    LOG.warn("page: refused: {}", message);
    PageResponses.refusal(response, 403, "Forbidden", message);
  }

  private static void notAllowed(RootRequest request, ExtensionResponse response)
      throws IOException {
    PageResponses.refusal(
        response, 405, "MethodNotAllowed", "the page does not allow " + request.method());
  }
}
