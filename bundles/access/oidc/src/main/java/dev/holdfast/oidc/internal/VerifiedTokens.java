package dev.holdfast.oidc.internal;

import dev.holdfast.access.UserCredential;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Verified and unexpired tokens by hash; at most 1,024. Thread-safe. */
final class VerifiedTokens {
  private static final int MOST = 1024;
  private static final float LOAD = 0.75f;

  private record Verified(UserCredential user, Instant end) {}

  /** Least recently used first. Guarded by this object. */
  private final Map<String, Verified> tokens =
      new LinkedHashMap<>(16, LOAD, true) {
        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Verified> eldest) {
          return size() > MOST;
        }
      };

  synchronized void add(String token, UserCredential user, Instant end) {
    tokens.put(hash(token), new Verified(user, end));
  }

  synchronized Optional<UserCredential> find(String token, Instant now) {
    return Optional.ofNullable(tokens.get(hash(token)))
        .filter(found -> now.isBefore(found.end()))
        .map(Verified::user);
  }

  synchronized void clear() {
    tokens.clear();
  }

  private static String hash(String token) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
      return Base64.getEncoder().encodeToString(hash);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
