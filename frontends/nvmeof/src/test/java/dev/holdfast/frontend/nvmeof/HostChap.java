package dev.holdfast.frontend.nvmeof;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.zip.CRC32;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A host's side of DH-HMAC-CHAP, written from the specification and independent of the controller's
 * code.
 */
final class HostChap {
  static final int[] GROUP_BITS = {0, 2048, 3072, 4096, 6144, 8192};

  private static final int PROTOCOL = 0xe9010100;
  private static final int ROOM = 2048;
  private static final String[] HASHES = {"", "SHA256", "SHA384", "SHA512"};

  private final HostQueue queue;
  private final String host;
  private final String subsystem;
  private final int transaction;
  private int hash;
  private byte[] shared = new byte[0];
  private byte[] publicValue = new byte[0];
  private ByteBuffer challenge = ByteBuffer.allocate(0);

  HostChap(HostQueue queue, String host, String subsystem, int transaction) {
    this.queue = queue;
    this.host = host;
    this.subsystem = subsystem;
    this.transaction = transaction;
  }

  /** Writes a secret as tools do. */
  static String secret(int transformation, byte[] key) {
    CRC32 crc = new CRC32();
    crc.update(key);
    byte[] all = Arrays.copyOf(key, key.length + 4);
    ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN).putInt(key.length, (int) crc.getValue());
    return "DHHC-1:0" + transformation + ":" + Base64.getEncoder().encodeToString(all) + ":";
  }

  /** Returns the key of a transformation. */
  static byte[] transformed(int transformation, byte[] key, String owner) throws Exception {
    return transformation == 0
        ? key
        : mac(
            transformation,
            key,
            owner.getBytes(StandardCharsets.UTF_8),
            ascii("NVMe-over-Fabrics"));
  }

  static Outcome send(HostQueue queue, byte[] message) throws Exception {
    return NvmeTestBase.get(
        queue.send(Entry.fabrics(0x05).dword(10, PROTOCOL).dword(11, message.length), message));
  }

  static ByteBuffer receive(HostQueue queue, int room) throws Exception {
    return NvmeTestBase.page(
        NvmeTestBase.get(
            queue.send(Entry.fabrics(0x06).dword(10, PROTOCOL).dword(11, room), room)));
  }

  /** Offers one hash and one group. */
  byte[] negotiation(int hashId, int groupId) {
    ByteBuffer message = message(0x00, 0x00, 72);
    message.put(7, (byte) 1).put(8, (byte) 1).put(10, (byte) 1).put(11, (byte) 1);
    message.put(12, (byte) hashId).put(42, (byte) groupId);
    return Bytes.all(message);
  }

  /** Negotiates and takes the challenge. */
  void begin(int hashId, int groupId) throws Exception {
    send(queue, negotiation(hashId, groupId)).orThrow();
    take(receive(queue, ROOM));
  }

  /** Takes a challenge. */
  void take(ByteBuffer message) throws Exception {
    challenge = message;
    if (message.getShort(0) != 0x0101 || message.getShort(4) != (short) transaction) {
      throw new IllegalStateException("no challenge: " + message.getInt(0));
    }
    hash = message.get(8);
    int length = message.get(6);
    exchange(message.get(9), Bytes.of(message, 16 + length, message.getShort(10) & 0xffff));
  }

  private void exchange(int groupId, byte[] theirs) throws IOException {
    if (groupId == 0) {
      return;
    }
    BigInteger prime = KnownPrimes.of(GROUP_BITS[groupId]);
    BigInteger exponent = new BigInteger(300, new SecureRandom());
    BigInteger known = new BigInteger(1, theirs).modPow(exponent, prime);
    shared = padded(known.toByteArray(), theirs.length);
    publicValue = padded(BigInteger.TWO.modPow(exponent, prime).toByteArray(), theirs.length);
  }

  private static byte[] padded(byte[] digits, int length) {
    int from = Math.max(0, digits.length - length);
    byte[] padded = new byte[length];
    int count = digits.length - from;
    System.arraycopy(digits, from, padded, length - count, count);
    return padded;
  }

  /** Responds to the challenge; includes a challenge of the host for mutual authentication. */
  byte[] reply(byte[] hostKey, boolean mutual) throws Exception {
    int length = challenge.get(6);
    ByteBuffer message = message(0x01, 0x02, 16 + 2 * length + publicValue.length);
    message.put(6, (byte) length).putShort(10, (short) publicValue.length);
    byte[] asked = Bytes.of(challenge, 16, length);
    message.put(16, proof(hostKey, asked, challenge.getInt(12), "HostHost", host, subsystem));
    if (mutual) {
      message.put(8, (byte) 1).putInt(12, 77).put(16 + length, own());
    }
    return Bytes.all(message.put(16 + 2 * length, publicValue));
  }

  private byte[] own() {
    byte[] own = new byte[challenge.get(6)];
    Arrays.fill(own, (byte) 0x5a);
    return own;
  }

  /** Returns the response that the controller must send. */
  byte[] expected(byte[] controllerKey) throws Exception {
    return proof(controllerKey, own(), 77, "Controller", subsystem, host);
  }

  private byte[] proof(byte[] key, byte[] asked, int sequence, String role, String a, String b)
      throws Exception {
    byte[] augmented =
        shared.length == 0
            ? asked
            : mac(
                hash,
                MessageDigest.getInstance(HASHES[hash].replace("SHA", "SHA-")).digest(shared),
                asked);
    ByteBuffer numbers = ByteBuffer.allocate(7).order(ByteOrder.LITTLE_ENDIAN);
    numbers.putInt(sequence).putShort((short) transaction);
    return mac(hash, key, augmented, numbers.array(), ascii(role), ascii(a), new byte[1], ascii(b));
  }

  byte[] success2() {
    return Bytes.all(message(0x01, 0x04, 16));
  }

  ByteBuffer message(int type, int id, int size) {
    ByteBuffer message = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    message.put(0, (byte) type).put(1, (byte) id).putShort(4, (short) transaction);
    return message;
  }

  /** Runs a complete transaction; returns the controller's last message. */
  ByteBuffer authenticate(int hashId, int groupId, byte[] hostKey, boolean mutual)
      throws Exception {
    begin(hashId, groupId);
    send(queue, reply(hostKey, mutual)).orThrow();
    ByteBuffer answer = receive(queue, ROOM);
    if (mutual && answer.getShort(0) == 0x0301) {
      send(queue, success2()).orThrow();
    }
    return answer;
  }

  private static byte[] mac(int hashId, byte[] key, byte[]... parts) throws Exception {
    Mac mac = Mac.getInstance("Hmac" + HASHES[hashId]);
    mac.init(new SecretKeySpec(key, "key"));
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return mac.doFinal(all.toByteArray());
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
