package dev.holdfast.frontend.nvmeof.internal.auth;

import dev.holdfast.frontend.nvmeof.internal.wire.Le;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HexFormat;

/** State of one authentication. Immutable. */
final class Transaction {
  private static final int HEAD = 16;
  private static final int HEX = 16;

  private final int id;
  private final Negotiation agreed;
  private final KeyExchange exchange;
  private final int sequence;
  private final byte[] challenge;

  private Transaction(
      int id, Negotiation agreed, KeyExchange exchange, int sequence, byte[] challenge) {
    this.id = id;
    this.agreed = agreed;
    this.exchange = exchange;
    this.sequence = sequence;
    this.challenge = challenge;
  }

  static Transaction begin(int id, Negotiation agreed, SecureRandom random) {
    byte[] challenge = new byte[agreed.hash().length()];
    random.nextBytes(challenge);
    // Not 0, which means that the message contains no challenge.
    int sequence = random.nextInt() | 1;
    return new Transaction(
        id, agreed, KeyExchange.begin(agreed.group(), random), sequence, challenge);
  }

  DhchapHash hash() {
    return agreed.hash();
  }

  /** Returns the shared key, computed from the host's public value. */
  byte[] shared(HostReply reply) throws AuthenticationException {
    return exchange.agree(reply.publicValue());
  }

  /** Returns the controller's challenge. */
  DhchapChallenge ofController(byte[] shared) {
    return new DhchapChallenge(hash(), challenge, shared, sequence, id);
  }

  /** Returns the host's challenge. */
  DhchapChallenge ofHost(HostReply reply, byte[] shared) {
    return new DhchapChallenge(
        hash(), reply.challenge().orElseThrow(), shared, reply.sequence(), id);
  }

  int challengeSize() {
    return HEAD + hash().length() + agreed.group().length();
  }

  /** Returns DH-HMAC-CHAP_Challenge. */
  byte[] challenge() {
    byte[] publicValue = exchange.publicValue();
    ByteBuffer message = MessageType.CHALLENGE.message(challengeSize(), id);
    Le.put8(message, 6, hash().length());
    Le.put8(message, 8, hash().id());
    Le.put8(message, 9, agreed.group().id());
    Le.put16(message, 10, publicValue.length);
    Le.put32(message, 12, sequence);
    message.put(HEAD, challenge).put(HEAD + challenge.length, publicValue);
    return Le.bytes(message, 0, message.limit());
  }

  String text() {
    return String.join(
        " ",
        String.valueOf(id),
        agreed.hash().name(),
        agreed.group().name(),
        exchange.exponent().toString(HEX),
        String.valueOf(sequence),
        HexFormat.of().formatHex(challenge));
  }

  /** Resumes the state of {@link #text}. */
  static Transaction of(String text) {
    String[] parts = text.split(" ", -1);
    Negotiation agreed = new Negotiation(DhchapHash.valueOf(parts[1]), DhGroup.valueOf(parts[2]));
    return new Transaction(
        Integer.parseInt(parts[0]),
        agreed,
        new KeyExchange(agreed.group(), new BigInteger(parts[3], HEX)),
        Integer.parseInt(parts[4]),
        HexFormat.of().parseHex(parts[5]));
  }
}
