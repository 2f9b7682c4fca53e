package dev.holdfast.authorization.internal;

import dev.holdfast.access.AccessToken;
import dev.holdfast.error.StorageException;
import dev.holdfast.store.ResourceStore;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records the time and address of token uses in the tokens, at most once in 5 minutes for each
 * token.
 */
final class TokenUses {
  private static final Logger LOG = LoggerFactory.getLogger(TokenUses.class);
  private static final Duration INTERVAL = Duration.ofMinutes(5);

  /**
   * Limit of recorded addresses, beyond which all are discarded, so that clients cannot fill the
   * memory.
   */
  private static final int MOST_USES = 10_000;

  private final ResourceStore store;
  private final Clock clock;
  private final Executor worker;
  private final Map<String, Instant> written = new ConcurrentHashMap<>();
  private final Map<Use, Instant> seen = new ConcurrentHashMap<>();

  TokenUses(ResourceStore store, Clock clock, Executor worker) {
    this.store = store;
    this.clock = clock;
    this.worker = worker;
  }

  /** A token used from a client's address. */
  private record Use(String token, String source) {}

  /**
   * Records a use and returns at once. The result tells whether it is the first one within the
   * interval.
   */
  boolean used(String token, String source) {
    Instant now = clock.instant();
    Use use = new Use(token, source);
    if (isRecent(seen.get(use), now)) {
      return false;
    }
    if (seen.size() >= MOST_USES) {
      seen.clear();
    }
    seen.put(use, now);
    if (!isRecent(written.get(token), now)) {
      written.put(token, now);
      writeLater(use, now);
    }
    return true;
  }

  private static boolean isRecent(Instant before, Instant now) {
    return before != null && before.plus(INTERVAL).isAfter(now);
  }

  private void writeLater(Use use, Instant now) {
    try {
      worker.execute(() -> write(use.token(), use.source(), now));
    } catch (RejectedExecutionException e) {
      LOG.debug("token {}: use not noted, the node stops", use.token(), e);
    }
  }

  private void write(String token, String source, Instant now) {
    try {
      Optional<AccessToken> found = store.get(AccessToken.KIND, token);
      if (found.isPresent()) {
        AccessToken present = found.get();
        store.updateStatus(
            present.withStatus(
                present.status().withLastUsedAt(Optional.of(now)).withLastUsedFrom(source)));
      }
    } catch (StorageException e) {
      // Another node may have written the token; the next use after the interval tries again.
      LOG.debug("token {}: could not note its use: {}", token, e.getMessage());
    }
  }
}
