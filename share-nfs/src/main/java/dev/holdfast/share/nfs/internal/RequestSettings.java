package dev.holdfast.share.nfs.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LuksKey;
import dev.holdfast.share.AllowedClient;
import dev.holdfast.share.ShareKey;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.ShareSquash;
import dev.holdfast.share.nfs.internal.ganesha.ClientAddress;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings.ExportRule;
import dev.holdfast.share.nfs.internal.ganesha.GaneshaSettings.Squash;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Translation of a request for Ganesha and for the device. */
final class RequestSettings {
  private static final int HIGHEST_PORT = 65535;
  private static final Duration LONGEST_LEASE = Duration.ofMinutes(2);
  private static final Duration LONGEST_GRACE = Duration.ofMinutes(3);

  private RequestSettings() {}

  /**
   * Returns the settings of the server.
   *
   * @throws StorageException INVALID naming the field, the value and the remedy
   */
  static GaneshaSettings of(ShareRequest request) throws StorageException {
    require(
        request.port() > 0 && request.port() <= HIGHEST_PORT,
        "port",
        String.valueOf(request.port()),
        "must be from 1 to " + HIGHEST_PORT);
    // Ganesha accepts values outside of its limits without a message.
    requireSeconds("lease", request.lease(), LONGEST_LEASE);
    requireSeconds("grace", request.grace(), LONGEST_GRACE);
    require(
        request.grace().compareTo(request.lease()) >= 0,
        "grace",
        request.grace().toString(),
        "must be at least the lease, " + request.lease());
    List<ExportRule> rules = new ArrayList<>();
    for (AllowedClient client : request.clients()) {
      ShareSquash squash = client.squash().orElse(request.squash());
      rules.add(
          new ExportRule(
              List.of(ClientAddress.parse(client.address())), client.readOnly(), squash(squash)));
    }
    return new GaneshaSettings(
        request.volume(),
        request.volumeUid(),
        request.address().ip(),
        request.port(),
        filesystemId(request.volumeUid()),
        request.lease(),
        request.grace(),
        rules);
  }

  private static void requireSeconds(String field, Duration value, Duration longest)
      throws StorageException {
    require(
        value.toSeconds() >= 1 && value.compareTo(longest) <= 0,
        field,
        value.toString(),
        "must be from 1 s to " + longest.toSeconds() + " s");
  }

  private static void require(boolean valid, String field, String value, String remedy)
      throws StorageException {
    if (!valid) {
      throw new StorageException(ErrorCode.INVALID, field + ": " + value + ", " + remedy);
    }
  }

  private static Squash squash(ShareSquash squash) {
    return switch (squash) {
      case NONE -> Squash.NONE;
      case ROOT -> Squash.ROOT;
      case ALL -> Squash.ALL;
    };
  }

  /** File handles contain it: it is the same on each node, and another one for each volume. */
  private static long filesystemId(String volumeUid) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(volumeUid.getBytes(StandardCharsets.UTF_8));
      return ByteBuffer.wrap(digest).getLong();
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  static LuksKey key(ShareKey key) {
    return new LuksKey(
        key.value(), key.previous(), key.cipher(), key.hash(), key.bits(), key.pbkdf());
  }
}
