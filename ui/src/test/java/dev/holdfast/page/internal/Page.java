package dev.holdfast.page.internal;

import dev.holdfast.access.IdentityProvider;
import dev.holdfast.access.RootRequest;
import dev.holdfast.audit.AuditEvent;
import dev.holdfast.audit.AuditLog;
import dev.holdfast.error.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** The page over a directory, with requests of browsers to it. */
final class Page {
  static final String TOKEN = "the-token";
  static final String CREDENTIAL = "credential-1";
  static final Map<String, String> OWN =
      Map.of("Host", "node:7443", "Origin", "https://node:7443", "X-Holdfast-Page", "1");

  final SessionTable sessions;
  final Contributions contributions = new Contributions();
  final List<AuditEvent> audited = new ArrayList<>();
  Optional<IdentityProvider> provider = Optional.empty();
  private final PageRoot root;
  private final PageSessions admitted;

  Page(Path data, Clock clock) throws IOException {
    PageSecrets secrets = new PageSecrets();
    sessions = new SessionTable(clock, secrets, new SessionFile(data));
    SignIn signIn = new SignIn(new OneTimeCodes(clock, secrets), sessions);
    ProviderSignIn providerSignIn =
        new ProviderSignIn(
            () -> provider,
            new PendingSignIns(clock, secrets),
            sessions,
            new SignInAudit(new KeptAudit(audited), clock));
    root = new PageRoot(PageFiles.read(Page.class), signIn, providerSignIn, contributions);
    admitted = new PageSessions(sessions);
  }

  /** Keeps the events. */
  private record KeptAudit(List<AuditEvent> events) implements AuditLog {
    @Override
    public void record(AuditEvent event) {
      events.add(event);
    }

    @Override
    public boolean refusesWrites() {
      return false;
    }

    @Override
    public boolean recordsReads() {
      return false;
    }

    @Override
    public long dropped() {
      return 0;
    }
  }

  static Function<String, Optional<String>> headers(Map<String, String> headers) {
    Map<String, String> byName = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    byName.putAll(headers);
    return name -> Optional.ofNullable(byName.get(name));
  }

  static Map<String, String> with(Map<String, String> headers, String name, String value) {
    Map<String, String> all = new TreeMap<>(headers);
    all.put(name, value);
    return all;
  }

  static Map<String, String> without(Map<String, String> headers, String name) {
    Map<String, String> all = new TreeMap<>(headers);
    all.remove(name);
    return all;
  }

  private static Map<String, String> parameters(String query) {
    Map<String, String> parameters = new TreeMap<>();
    for (String pair : query.split("&", -1)) {
      if (!pair.isEmpty()) {
        parameters.put(pair.substring(0, pair.indexOf('=')), pair.substring(pair.indexOf('=') + 1));
      }
    }
    return parameters;
  }

  FakeResponse send(String method, String address, Map<String, String> headers, String body)
      throws StorageException, IOException {
    int end = address.indexOf('?');
    String path = end < 0 ? address : address.substring(0, end);
    String query = end < 0 ? "" : address.substring(end + 1);
    FakeResponse response = new FakeResponse();
    root.handle(
        new RootRequest(
            method,
            Arrays.stream(path.split("/", -1)).filter(part -> !part.isEmpty()).toList(),
            path.endsWith("/"),
            parameters(query),
            "192.0.2.7",
            headers(headers),
            token -> token.equals(TOKEN) ? Optional.of(CREDENTIAL) : Optional.empty(),
            new ByteArrayInputStream(body.getBytes(StandardCharsets.UTF_8))),
        response);
    return response;
  }

  /** Returns a code of {@code holdfast page}. */
  String code(String role) throws StorageException, IOException {
    FakeResponse response =
        send(
            "POST",
            "/page/v1/codes",
            Map.of("Authorization", "Bearer " + TOKEN),
            "{\"role\":\"" + role + "\"}");
    return response.json().path("code").asText();
  }

  FakeResponse signIn(String code, Map<String, String> headers)
      throws StorageException, IOException {
    return send("POST", "/page/v1/session", headers, "{\"code\":\"" + code + "\"}");
  }

  /** Signs in and returns the secret. */
  String secret(String role) throws StorageException, IOException {
    return signIn(code(role), OWN).secret();
  }

  /** Returns the credential by which the API admits a POST that only asks. */
  Optional<String> admitQuestion(String secret, Map<String, String> headers)
      throws StorageException {
    return admitted.credentialOf(
        "POST", false, headers(with(headers, "Cookie", "__Host-holdfast=" + secret)));
  }

  /** Returns the credential by which the API admits a request with a cookie. */
  Optional<String> admit(String method, String secret, Map<String, String> headers)
      throws StorageException {
    return admitted.credentialOf(
        method,
        !method.equals("GET"),
        headers(with(headers, "Cookie", "a=b; __Host-holdfast=" + secret)));
  }
}
