package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.nio.ByteBuffer;

/**
 * Result of the negotiation by AUTH_Negotiate.
 *
 * @param hash hash function of all digests
 * @param group group of the key exchange
 */
record Negotiation(DhchapHash hash, DhGroup group) {
  private static final int SECURE_CHANNEL_AT = 6;
  private static final int COUNT_AT = 7;
  private static final int DESCRIPTORS_AT = 8;
  private static final int DESCRIPTOR = 64;
  private static final int DH_HMAC_CHAP = 1;
  private static final int HASHES_AT = 4;
  private static final int GROUPS_AT = 34;
  private static final int MOST = 30;

  /** Selects the preferred one of the host's offers. */
  static Negotiation of(ByteBuffer message) throws AuthenticationException {
    int descriptors = message.limit() < DESCRIPTORS_AT ? 0 : Le.u8(message, COUNT_AT);
    if (descriptors == 0 || message.limit() < DESCRIPTORS_AT + descriptors * DESCRIPTOR) {
      throw payload("AUTH_Negotiate has too few bytes");
    }
    if (Le.u8(message, SECURE_CHANNEL_AT) != 0) {
      throw new AuthenticationException(
          AuthenticationException.SECURE_CHANNEL_MISMATCH, "the host wants a secure channel");
    }
    for (int i = 0; i < descriptors; i++) {
      int at = DESCRIPTORS_AT + i * DESCRIPTOR;
      if (Le.u8(message, at) == DH_HMAC_CHAP) {
        return chosen(message, at);
      }
    }
    throw new AuthenticationException(
        AuthenticationException.PROTOCOL_UNUSABLE, "the host does not offer DH-HMAC-CHAP");
  }

  private static Negotiation chosen(ByteBuffer message, int at) throws AuthenticationException {
    int hashes = Le.u8(message, at + 2);
    int groups = Le.u8(message, at + 3);
    if (hashes > MOST || groups > MOST) {
      throw payload("AUTH_Negotiate lists more than it has room for");
    }
    for (DhchapHash hash : DhchapHash.values()) {
      if (lists(message, at + HASHES_AT, hashes, hash.id())) {
        return new Negotiation(hash, group(message, at + GROUPS_AT, groups));
      }
    }
    throw new AuthenticationException(
        AuthenticationException.HASH_UNUSABLE, "no hash function of the host's is known");
  }

  private static DhGroup group(ByteBuffer message, int at, int groups)
      throws AuthenticationException {
    for (DhGroup group : DhGroup.values()) {
      if (lists(message, at, groups, group.id())) {
        return group;
      }
    }
    throw new AuthenticationException(
        AuthenticationException.GROUP_UNUSABLE, "no group of the host's is known");
  }

  private static boolean lists(ByteBuffer message, int at, int count, int id) {
    for (int i = 0; i < count; i++) {
      if (Le.u8(message, at + i) == id) {
        return true;
      }
    }
    return false;
  }

  private static AuthenticationException payload(String message) {
    return new AuthenticationException(AuthenticationException.INCORRECT_PAYLOAD, message);
  }
}
