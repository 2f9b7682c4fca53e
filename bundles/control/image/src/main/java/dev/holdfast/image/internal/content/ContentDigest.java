package dev.holdfast.image.internal.content;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Checksum of the content of a disk: SHA-256 over the size and the SHA-256 of each region of 16
 * MiB. It depends on the bytes only, and not on which of them are holes. A region of zeroes costs
 * nothing. For one thread.
 */
public final class ContentDigest {
  /** Bytes of a region. */
  public static final int REGION = 16 << 20;

  private static final String PREFIX = "sha256-16m:";
  private static final ByteBuffer ZEROES = ByteBuffer.allocate(1 << 16).asReadOnlyBuffer();
  private static final byte[] ZERO_REGION = zeroRegion();

  private final MessageDigest whole = sha256();
  private final MessageDigest region = sha256();
  private long inRegion;
  private boolean allZero = true;

  /** Begins the checksum of a disk of the given size in bytes. */
  public ContentDigest(long size) {
    whole.update(ByteBuffer.allocate(Long.BYTES).putLong(0, size));
  }

  private static byte[] zeroRegion() {
    MessageDigest digest = sha256();
    for (int done = 0; done < REGION; done += ZEROES.capacity()) {
      digest.update(ZEROES.duplicate());
    }
    return digest.digest();
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Adds bytes; the buffer's position stays. */
  public void data(ByteBuffer bytes) {
    ByteBuffer rest = bytes.duplicate();
    while (rest.hasRemaining()) {
      settleZeroes();
      int count = (int) Math.min(rest.remaining(), REGION - inRegion);
      region.update(rest.slice(rest.position(), count));
      rest.position(rest.position() + count);
      inRegion += count;
      endFullRegion();
    }
  }

  /** Adds zeroes. */
  public void zeroes(long length) {
    long left = length;
    while (left > 0) {
      long count = Math.min(left, REGION - inRegion);
      if (!allZero) {
        hashZeroes(count);
      }
      inRegion += count;
      left -= count;
      endFullRegion();
    }
  }

  /** Hashes the zeroes at the start of a region, once other content follows them. */
  private void settleZeroes() {
    if (allZero) {
      allZero = false;
      hashZeroes(inRegion);
    }
  }

  private void hashZeroes(long length) {
    for (long left = length; left > 0; left -= ZEROES.capacity()) {
      region.update(ZEROES.slice(0, (int) Math.min(left, ZEROES.capacity())));
    }
  }

  private void endFullRegion() {
    if (inRegion == REGION) {
      whole.update(allZero ? ZERO_REGION : region.digest());
      inRegion = 0;
      allZero = true;
    }
  }

  /** Returns the checksum; nothing may be added afterwards. */
  public String finish() {
    if (inRegion > 0) {
      settleZeroes();
      whole.update(region.digest());
    }
    return PREFIX + HexFormat.of().formatHex(whole.digest());
  }
}
