package dev.holdfast.certificates.internal;

import dev.holdfast.certificates.MemberList;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The list of members in a file with a line {@code NAME KEY} for each. Thread-safe. */
final class Members implements MemberList {
  private static final Logger LOG = LoggerFactory.getLogger(Members.class);

  private final Path file;
  private final String self;
  private final OwnKey ownKey;
  private volatile Optional<Map<String, String>> list;

  /** Whether the file contains the present list. */
  private boolean persisted;

  /** Supplies the fingerprint of this node's key. */
  @FunctionalInterface
  interface OwnKey {
    /** Returns the present fingerprint. */
    String fingerprint() throws StorageException;
  }

  /**
   * Reads the last list.
   *
   * @param file file of the list
   * @param self the name of this node
   * @param ownKey fingerprint of this node's key
   */
  Members(Path file, String self, OwnKey ownKey) throws StorageException {
    this.file = file;
    this.self = self;
    this.ownKey = ownKey;
    this.list = read(file);
    this.persisted = list.isPresent();
  }

  private static Optional<Map<String, String>> read(Path file) throws StorageException {
    Map<String, String> keys = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(file)) {
        int space = line.indexOf(' ');
        if (space > 0) {
          keys.put(line.substring(0, space), line.substring(space + 1));
        }
      }
      return Optional.of(Map.copyOf(keys));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }

  @Override
  public synchronized void replace(Map<String, String> keys) throws StorageException {
    Map<String, String> next = Map.copyOf(keys);
    boolean known = list.filter(next::equals).isPresent();
    if (known && persisted) {
      return;
    }
    if (!known) {
      persisted = false;
      list = Optional.of(next);
      LOG.info("nodes that may connect: {}", new TreeMap<>(next).keySet());
    }
    StringBuilder text = new StringBuilder();
    new TreeMap<>(next)
        .forEach((node, key) -> text.append(node).append(' ').append(key).append('\n'));
    try {
      PrivateFiles.write(file, text.toString().getBytes(StandardCharsets.UTF_8));
      persisted = true;
    } catch (IOException e) {
      throw StorageException.io("write " + file, e);
    }
  }

  /**
   * Checks that a certificate of the cluster's authority belongs to a member.
   *
   * @throws StorageException FORBIDDEN when it does not belong to one
   */
  void check(String node, X509Certificate certificate) throws StorageException {
    Optional<Map<String, String>> current = list;
    if (current.isEmpty()) {
      return;
    }
    String key = node.equals(self) ? ownKey.fingerprint() : current.get().get(node);
    if (key == null) {
      throw refused(node, "it is not a member of the cluster: join it again with a new token");
    }
    if (!key.equals(ANY_KEY) && !key.equals(fingerprint(certificate))) {
      throw refused(node, "another machine is the member of this name");
    }
  }

  private static StorageException refused(String node, String why) {
    return new StorageException(ErrorCode.FORBIDDEN, "node " + node + " may not connect: " + why);
  }

  /** Returns the SHA-256 of the public key. */
  static String fingerprint(X509Certificate certificate) {
    try {
      byte[] key = certificate.getPublicKey().getEncoded();
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java runtime has SHA-256", e);
    }
  }
}
