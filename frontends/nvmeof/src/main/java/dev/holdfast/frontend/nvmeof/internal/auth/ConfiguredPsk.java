package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A configured TLS key: {@code NVMeTLSkey-1:<hash>:<base64 of the key and its CRC-32>:} (TCP
 * Transport 1.0, 3.6.1: the PSK interchange format). The hash derives the key of one host, the
 * retained PSK, from it.
 */
final class ConfiguredPsk {
  private static final Pattern FORM =
      Pattern.compile("NVMeTLSkey-1:0([0-2]):([A-Za-z0-9+/]{1,100}={0,2}):");
  private static final String RETAINED = "HostNQN";

  private final Optional<DhchapHash> transformation;
  private final byte[] bytes;

  private ConfiguredPsk(Optional<DhchapHash> transformation, byte[] bytes) {
    this.transformation = transformation;
    this.bytes = bytes;
  }

  /**
   * Reads a key.
   *
   * @throws IllegalArgumentException when the text is malformed; the message does not contain it
   */
  static ConfiguredPsk of(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      throw new IllegalArgumentException("a TLS key is not of the form NVMeTLSkey-1:01:...:");
    }
    byte[] bytes = CheckedBytes.of(matcher.group(2), "a TLS key");
    Optional<DhchapHash> transformation = DhchapHash.of(Integer.parseInt(matcher.group(1)));
    boolean fits =
        transformation.isPresent()
            ? bytes.length == transformation.get().length()
            : bytes.length == DhchapHash.SHA_256.length()
                || bytes.length == DhchapHash.SHA_384.length();
    if (!fits) {
      throw new IllegalArgumentException(
          "a TLS key has "
              + bytes.length
              + " bytes, not "
              + transformation.map(hash -> String.valueOf(hash.length())).orElse("32 or 48"));
    }
    return new ConfiguredPsk(transformation, bytes);
  }

  /** Returns the hash function of all keys derived from this one. */
  DhchapHash hash() {
    return bytes.length == DhchapHash.SHA_256.length() ? DhchapHash.SHA_256 : DhchapHash.SHA_384;
  }

  /** Returns the retained PSK of a host. */
  byte[] retained(String host) {
    return transformation
        .map(
            hash ->
                Hkdf.expandLabel(
                    hash,
                    Hkdf.extract(hash, bytes),
                    RETAINED,
                    host.getBytes(StandardCharsets.UTF_8)))
        .orElseGet(() -> Arrays.copyOf(bytes, bytes.length));
  }
}
