package dev.holdfast.sharing.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LuksKey;
import dev.holdfast.host.LuksSecret;
import dev.holdfast.secret.SecretProviders;
import dev.holdfast.share.ShareKey;
import dev.holdfast.share.ShareManagerSpec;
import dev.holdfast.share.ShareRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The keys of encrypted volumes, from files of this node or from secrets. A key is read at each
 * start of a server, and not while it runs, because a running server needs no key. Thread-safe.
 *
 * @param secrets that this node can read
 */
record ShareKeys(SecretProviders secrets) {
  /** Returns a request with the key of the volume, if the share's volume is encrypted. */
  ShareRequest complete(ShareRequest request, ShareManagerSpec spec) throws StorageException {
    if (!spec.keyFile().isEmpty()) {
      Map<String, String> values = Map.of(LuksSecret.VALUE, text(spec.keyFile()));
      return request.withKey(Optional.of(key(values, "spec.keyFile: " + spec.keyFile())));
    }
    if (!spec.keySecret().isEmpty()) {
      Map<String, String> values = values(spec.keySecret());
      return request.withKey(Optional.of(key(values, "spec.keySecret: " + spec.keySecret())));
    }
    return request;
  }

  private static String text(String file) throws StorageException {
    String text;
    try {
      text = Files.readString(Path.of(file)).stripTrailing();
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.INVALID,
          "spec.keyFile: " + file + " cannot be read on this node: put the key there",
          e);
    }
    if (text.isEmpty()) {
      throw invalid("spec.keyFile: " + file + " is empty: put the key there");
    }
    return text;
  }

  private Map<String, String> values(String secret) throws StorageException {
    Map<String, String> values = new TreeMap<>();
    try {
      secrets
          .require(secret)
          .forEach((name, value) -> values.put(name, new String(value, StandardCharsets.UTF_8)));
    } catch (StorageException e) {
      throw new StorageException(e.code(), "spec.keySecret: " + e.getMessage(), e);
    }
    return values;
  }

  private static ShareKey key(Map<String, String> values, String object) throws StorageException {
    LuksKey key =
        LuksSecret.key(values, object)
            .orElseThrow(
                () ->
                    invalid(object + "[" + LuksSecret.VALUE + "]: is missing: put the key there"));
    return new ShareKey(
        key.value(), key.previous(), key.cipher(), key.hash(), key.bits(), key.pbkdf());
  }

  private static StorageException invalid(String message) {
    return new StorageException(ErrorCode.INVALID, message);
  }
}
