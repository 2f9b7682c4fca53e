package dev.holdfast.page.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Codes of one-time addresses. Each is valid once, for 60 s. Thread-safe. */
final class OneTimeCodes {
  static final Duration VALID = Duration.ofSeconds(60);
  private static final int MOST = 64;

  private final Clock clock;
  private final PageSecrets secrets;

  /** By hash, the oldest first. Guarded by this. */
  private final Map<String, Issued> issued = new LinkedHashMap<>();

  OneTimeCodes(Clock clock, PageSecrets secrets) {
    this.clock = clock;
    this.secrets = secrets;
  }

  /**
   * Session that a code begins.
   *
   * @param credential identifier of the credential that asked for the code
   * @param readOnly whether the session only reads
   */
  record Grant(String credential, boolean readOnly) {}

  private record Issued(Grant grant, Instant end) {}

  /** Returns a new code. Above 64 unused codes the oldest one ends. */
  synchronized String issue(Grant grant) {
    Instant now = clock.instant();
    issued.values().removeIf(each -> !now.isBefore(each.end()));
    if (issued.size() >= MOST) {
      Iterator<String> oldest = issued.keySet().iterator();
      oldest.next();
      oldest.remove();
    }
    String code = secrets.next();
    issued.put(PageSecrets.hash(code), new Issued(grant, now.plus(VALID)));
    return code;
  }

  /** Uses a code up; empty when it is unknown, used or late. */
  synchronized Optional<Grant> redeem(String code) {
    Issued found = issued.remove(PageSecrets.hash(code));
    return Optional.ofNullable(found)
        .filter(each -> clock.instant().isBefore(each.end()))
        .map(Issued::grant);
  }
}
