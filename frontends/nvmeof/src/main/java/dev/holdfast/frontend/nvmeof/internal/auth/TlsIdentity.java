package dev.holdfast.frontend.nvmeof.internal.auth;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Identity of a TLS key, with its host and subsystem (TCP Transport 1.0, 3.6.1: the PSK identity):
 * {@code NVMe0R01 <host> <subsystem>}, or {@code NVMe1R01 <host> <subsystem> <digest>}. The digest
 * of the retained PSK identifies one of several keys.
 *
 * @param text the complete identity
 * @param hash number of the hash function of the key
 * @param host NQN of the host
 * @param subsystem NQN of the subsystem
 * @param digest digest of the retained PSK, in version 1
 */
public record TlsIdentity(
    String text, int hash, String host, String subsystem, Optional<String> digest) {
  private static final Pattern FORM =
      Pattern.compile("NVMe(?:0R0([12]) (\\S+) (\\S+)|1R0([12]) (\\S+) (\\S+) (\\S+))");
  private static final int LONGEST_NAME = 223;
  private static final String PURPOSE = "NVMe-over-Fabrics";
  private static final String LABEL = "nvme-tls-psk";

  /**
   * Parses an identity.
   *
   * @param text identity that the host sent, not null
   * @return empty when it is malformed or of an unknown version
   */
  public static Optional<TlsIdentity> of(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return Optional.empty();
    }
    int at = parts.group(1) != null ? 1 : 4;
    TlsIdentity identity =
        new TlsIdentity(
            text,
            Integer.parseInt(parts.group(at)),
            parts.group(at + 1),
            parts.group(at + 2),
            Optional.ofNullable(parts.group(7)));
    boolean fits =
        identity.host.length() <= LONGEST_NAME
            && identity.subsystem.length() <= LONGEST_NAME
            && identity.context().length <= Hkdf.LONGEST;
    return fits ? Optional.of(identity) : Optional.empty();
  }

  /** Returns the TLS key, or empty when the identity belongs to another key. */
  Optional<byte[]> key(ConfiguredPsk psk) {
    DhchapHash function = psk.hash();
    byte[] retained = psk.retained(host);
    if (function.id() != hash
        || digest.filter(said -> !said.equals(digest(function, retained))).isPresent()) {
      return Optional.empty();
    }
    byte[] extracted = Hkdf.extract(function, retained);
    return Optional.of(Hkdf.expandLabel(function, extracted, LABEL, context()));
  }

  private String digest(DhchapHash function, byte[] retained) {
    byte[] about = bytes(host + " " + subsystem + " " + PURPOSE);
    return Base64.getEncoder().encodeToString(function.mac(retained, about));
  }

  private byte[] context() {
    return bytes(digest.map(said -> "0" + hash + " " + said).orElse(text));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
