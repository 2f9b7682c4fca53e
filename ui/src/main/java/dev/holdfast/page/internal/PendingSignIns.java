package dev.holdfast.page.internal;

import dev.holdfast.access.SignInRequest;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Sign-ins that began here and continue at an identity provider, for 10 minutes. Each belongs to
 * the browser that began it, so that another site cannot sign a browser in as its own user.
 * Thread-safe.
 */
final class PendingSignIns {
  static final Duration VALID = Duration.ofMinutes(10);
  private static final int MOST = 1024;

  private final Clock clock;
  private final PageSecrets secrets;

  /** By state, the oldest first. Guarded by this. */
  private final Map<String, Pending> pending = new LinkedHashMap<>();

  PendingSignIns(Clock clock, PageSecrets secrets) {
    this.clock = clock;
    this.secrets = secrets;
  }

  /**
   * A sign-in that began.
   *
   * @param request for the provider
   * @param browser secret that the browser keeps in a cookie
   */
  record Begun(SignInRequest request, String browser) {}

  private record Pending(SignInRequest request, String browserHash, Instant end) {}

  /** Begins one. Above 1,024 the oldest one ends. */
  synchronized Begun begin(URI callback) {
    Instant now = clock.instant();
    pending.values().removeIf(each -> !now.isBefore(each.end()));
    if (pending.size() >= MOST) {
      Iterator<String> oldest = pending.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    SignInRequest request =
        new SignInRequest(callback, secrets.next(), secrets.next(), secrets.next());
    String browser = secrets.next();
    pending.put(request.state(), new Pending(request, PageSecrets.hash(browser), now.plus(VALID)));
    return new Begun(request, browser);
  }

  /** Ends one; empty when it is unknown, used, late, or of another browser. */
  synchronized Optional<SignInRequest> end(String state, Optional<String> browser) {
    return Optional.ofNullable(pending.remove(state))
        .filter(each -> clock.instant().isBefore(each.end()))
        .filter(
            each -> browser.map(PageSecrets::hash).filter(each.browserHash()::equals).isPresent())
        .map(Pending::request);
  }
}
