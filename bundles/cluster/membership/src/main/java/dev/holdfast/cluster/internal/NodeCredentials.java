package dev.holdfast.cluster.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The bearer tokens of nodes, stored as hashes: {@code hfn1.<secret>.<node>}. Thread-safe. */
final class NodeCredentials {
  private static final String PREFIX = "hfn1.";
  private static final String HASH = "secretSha256";
  private static final int SECRET_BYTES = 32;
  private static final int SECRET_LENGTH = 43;

  private final JsonFiles files;
  private final Clock clock;
  private final SecureRandom random = new SecureRandom();
  private final Map<String, String> hashes = new ConcurrentHashMap<>();

  NodeCredentials(Path directory, Clock clock) throws StorageException {
    this.files = new JsonFiles(directory);
    this.clock = clock;
    for (Map.Entry<String, JsonNode> entry : files.all().entrySet()) {
      hashes.put(entry.getKey(), entry.getValue().path(HASH).asText());
    }
  }

  boolean has(String node) {
    return hashes.containsKey(node);
  }

  Set<String> nodes() {
    return Set.copyOf(hashes.keySet());
  }

  /** Makes a node's credential, in the place of an earlier one. */
  synchronized String issue(String node) throws StorageException {
    byte[] bytes = new byte[SECRET_BYTES];
    random.nextBytes(bytes);
    String secret = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    String hash = Hashes.of(secret);
    files.write(node, files.document().put(HASH, hash).put("created", clock.instant().toString()));
    hashes.put(node, hash);
    return PREFIX + secret + "." + node;
  }

  synchronized void revoke(String node) throws StorageException {
    if (hashes.remove(node) != null) {
      files.delete(node);
    }
  }

  /** Returns the node of a credential. */
  Optional<String> nodeOf(String credential) {
    int start = PREFIX.length();
    int end = start + SECRET_LENGTH;
    if (!credential.startsWith(PREFIX)
        || credential.length() < end + 2
        || credential.charAt(end) != '.') {
      return Optional.empty();
    }
    String node = credential.substring(end + 1);
    return Optional.ofNullable(hashes.get(node))
        .filter(hash -> Hashes.matches(credential.substring(start, end), hash))
        .map(hash -> node);
  }
}
