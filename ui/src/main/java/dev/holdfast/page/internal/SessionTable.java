package dev.holdfast.page.internal;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;

/**
 * The signed-in browsers of this node. A session ends after 12 h, after 1 h without a request, and
 * when its user signs out. Thread-safe.
 */
final class SessionTable {
  static final Duration LONGEST = Duration.ofHours(12);
  static final Duration IDLE = Duration.ofHours(1);
  private static final Duration RECORD_USE_EVERY = Duration.ofMinutes(5);
  private static final int MOST = 1000;

  private final Clock clock;
  private final PageSecrets secrets;
  private final SessionFile file;

  /** By the hash of the secret. Guarded by this. */
  private final Map<String, Session> sessions;

  /** Time at which the file was last written. Guarded by this. */
  private Instant recorded;

  SessionTable(Clock clock, PageSecrets secrets, SessionFile file) {
    this.clock = clock;
    this.secrets = secrets;
    this.file = file;
    this.sessions = file.read();
    this.recorded = clock.instant();
  }

  /** Begins a session and returns its secret. Above 1,000 the one used longest ago ends. */
  synchronized String begin(OneTimeCodes.Grant grant) {
    Instant now = clock.instant();
    removeEnded(now);
    if (sessions.size() >= MOST) {
      sessions.entrySet().stream()
          .min(Comparator.comparing(entry -> entry.getValue().lastUsed()))
          .map(Map.Entry::getKey)
          .ifPresent(sessions::remove);
    }
    String secret = secrets.next();
    sessions.put(
        PageSecrets.hash(secret), new Session(grant.credential(), grant.readOnly(), now, now));
    record(now);
    return secret;
  }

  /** Returns the session of a secret and notes its use; empty when it ended or never was. */
  synchronized Optional<Session> use(String secret) {
    Instant now = clock.instant();
    String hash = PageSecrets.hash(secret);
    Session found = sessions.get(hash);
    if (found == null) {
      return Optional.empty();
    }
    if (isOver(found, now)) {
      sessions.remove(hash);
      record(now);
      return Optional.empty();
    }
    Session used = found.usedAt(now);
    sessions.put(hash, used);
    if (!now.isBefore(recorded.plus(RECORD_USE_EVERY))) {
      removeEnded(now);
      record(now);
    }
    return Optional.of(used);
  }

  /** Returns whether a secret has a session, without a note of its use. */
  synchronized boolean isValid(String secret) {
    Session found = sessions.get(PageSecrets.hash(secret));
    return found != null && !isOver(found, clock.instant());
  }

  /** Ends a session, if there is one. */
  synchronized void end(String secret) {
    if (sessions.remove(PageSecrets.hash(secret)) != null) {
      record(clock.instant());
    }
  }

  private void record(Instant now) {
    file.write(sessions);
    recorded = now;
  }

  private void removeEnded(Instant now) {
    sessions.values().removeIf(session -> isOver(session, now));
  }

  private static boolean isOver(Session session, Instant now) {
    return !now.isBefore(session.since().plus(LONGEST))
        || !now.isBefore(session.lastUsed().plus(IDLE));
  }
}
