package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.access.UserCredential;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Optional;

/**
 * Credential of a browser whose user signed in by a token of the cluster that keeps the resources.
 * It contains the user and not the token, so that the token cannot be reviewed again. Therefore it
 * ends with the token, after an hour at the latest.
 *
 * @param user user according to the cluster
 * @param end time from which the credential is refused
 */
record ClusterSession(UserCredential user, Instant end) {
  /** Longest validity, also of a token that does not expire. */
  static final Duration LONGEST = Duration.ofHours(1);

  private static final String SCHEME = "until.";
  private static final int PARTS = 3;
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Returns the credential of a user.
   *
   * @param token token that the cluster has verified
   */
  static ClusterSession of(UserCredential user, String token, Instant now) {
    Instant latest = now.plus(LONGEST);
    return new ClusterSession(user, expiry(token).filter(latest::isAfter).orElse(latest));
  }

  /** Returns the end of a JSON Web Token (RFC 7519, 4.1.4); empty for another token. */
  private static Optional<Instant> expiry(String token) {
    String[] parts = token.split("\\.", -1);
    if (parts.length != PARTS) {
      return Optional.empty();
    }
    try {
      JsonNode end = JSON.readTree(Base64.getUrlDecoder().decode(parts[1])).path("exp");
      return end.canConvertToLong()
          ? Optional.of(Instant.ofEpochSecond(end.asLong()))
          : Optional.empty();
    } catch (IOException | IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  boolean isOver(Instant now) {
    return !now.isBefore(end);
  }

  /** Returns the form that {@link #parse} accepts. */
  String text() {
    return SCHEME + end.getEpochSecond() + "." + user.text();
  }

  /** Parses the output of {@link #text}; empty for another credential. */
  static Optional<ClusterSession> parse(String text) {
    int dot = text.indexOf('.', SCHEME.length());
    if (!text.startsWith(SCHEME) || dot < 0) {
      return Optional.empty();
    }
    String seconds = text.substring(SCHEME.length(), dot);
    return seconds.matches("\\d{1,11}")
        ? UserCredential.parse(text.substring(dot + 1))
            .map(user -> new ClusterSession(user, Instant.ofEpochSecond(Long.parseLong(seconds))))
        : Optional.empty();
  }
}
