package dev.holdfast.cluster.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.cluster.IssuedToken;
import dev.holdfast.cluster.JoinToken;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * The issued tokens, with hashes instead of secrets. A used token is kept until it expires, so that
 * its node can repeat the request after a lost response. For one thread at a time.
 */
final class JoinTokens {
  private static final Duration LONGEST = Duration.ofDays(30);
  private static final String EXPIRES = "expires";
  private static final String USED_BY = "usedBy";

  private final JsonFiles files;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();

  JoinTokens(Path directory, Clock clock) throws StorageException {
    this.files = new JsonFiles(directory);
    this.clock = clock;
  }

  IssuedToken issue(String caCertificate, Duration validity) throws StorageException {
    if (validity.compareTo(Duration.ofSeconds(1)) < 0 || validity.compareTo(LONGEST) > 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "a token is valid for one second to 30 days, not for " + validity.toSeconds() + " s");
    }
    dropExpired();
    JoinToken token = JoinToken.random(caCertificate, random);
    Instant expires = clock.instant().plus(validity);
    ObjectNode document = files.document();
    document.put("secretSha256", Hashes.of(token.secret()));
    document.put(EXPIRES, expires.toString());
    files.write(token.id(), document);
    return new IssuedToken(token, expires);
  }

  private void dropExpired() throws StorageException {
    for (Map.Entry<String, JsonNode> token : files.all().entrySet()) {
      if (expires(token.getValue()).isBefore(clock.instant())) {
        files.delete(token.getKey());
      }
    }
  }

  private static Instant expires(JsonNode document) {
    return Instant.parse(document.path(EXPIRES).asText());
  }

  /** Records the user of a token that {@link #check} has accepted. */
  void use(JoinToken token, String user) throws StorageException {
    files.write(token.id(), ((ObjectNode) require(token).deepCopy()).put(USED_BY, user));
  }

  /** Checks a token without using it; returns whether this user has already used it. */
  boolean check(JoinToken token, String user) throws StorageException {
    String usedBy = require(token).path(USED_BY).asText("");
    if (!usedBy.isEmpty() && !usedBy.equals(user)) {
      throw refused("was used already: each node needs its own");
    }
    return usedBy.equals(user);
  }

  private JsonNode require(JoinToken token) throws StorageException {
    JsonNode document = files.read(token.id()).orElseThrow(() -> refused("is not known here"));
    if (!Hashes.matches(token.secret(), document.path("secretSha256").asText())) {
      throw refused("is not known here");
    } else if (expires(document).isBefore(clock.instant())) {
      throw refused("expired at " + document.path(EXPIRES).asText());
    }
    return document;
  }

  private static StorageException refused(String why) {
    return new StorageException(
        ErrorCode.FORBIDDEN, "the token " + why + "; make another with 'holdfast node token'");
  }
}
