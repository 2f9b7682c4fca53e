package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.imagesource.SourceDisk;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Gathers content in whole sectors and passes it on encrypted or decrypted. Encryption makes bytes
 * of zeroes. Decryption leaves sectors of zeroes as they are: they were never written. For one
 * thread.
 */
final class SectorTarget implements SourceDisk.Target {
  private static final int PIECE = 256 << 10;

  private final XtsCipher cipher;
  private final SourceDisk.Target target;
  private final boolean keepsZeroes;
  private final byte[] piece = new byte[PIECE];
  private int filled;
  private long offset;

  private SectorTarget(XtsCipher cipher, SourceDisk.Target target, boolean keepsZeroes) {
    this.cipher = cipher;
    this.target = target;
    this.keepsZeroes = keepsZeroes;
  }

  static SectorTarget encrypting(XtsCipher cipher, SourceDisk.Target target) {
    return new SectorTarget(cipher, target, false);
  }

  static SectorTarget decrypting(XtsCipher cipher, SourceDisk.Target target) {
    return new SectorTarget(cipher, target, true);
  }

  @Override
  public void data(ByteBuffer bytes) throws StorageException {
    while (bytes.hasRemaining()) {
      int count = Math.min(bytes.remaining(), PIECE - filled);
      bytes.get(piece, filled, count);
      add(count);
    }
  }

  @Override
  public void zeroes(long length) throws StorageException {
    long left = length;
    if (keepsZeroes) {
      int begun = filled % cipher.sectorSize();
      long missing = begun == 0 ? 0 : Math.min(left, cipher.sectorSize() - begun);
      fill(missing);
      left -= missing;
      long whole = left - left % cipher.sectorSize();
      if (whole > 0) {
        flush();
        target.zeroes(whole);
        offset += whole;
        left -= whole;
      }
    }
    fill(left);
  }

  private void fill(long length) throws StorageException {
    for (long left = length; left > 0; ) {
      int count = (int) Math.min(left, PIECE - filled);
      Arrays.fill(piece, filled, filled + count, (byte) 0);
      add(count);
      left -= count;
    }
  }

  private void add(int count) throws StorageException {
    filled += count;
    if (filled == PIECE) {
      flush();
    }
  }

  /** Completes the last sector with zeroes and passes on what is left. */
  void finish() throws StorageException {
    int begun = filled % cipher.sectorSize();
    if (begun > 0) {
      fill(cipher.sectorSize() - begun);
    }
    flush();
  }

  private void flush() throws StorageException {
    if (filled == 0) {
      return;
    }
    boolean[] unwritten = unwritten();
    cipher.transform(offset, piece, filled);
    for (int sector = 0; sector < unwritten.length; sector++) {
      if (unwritten[sector]) {
        int at = sector * cipher.sectorSize();
        Arrays.fill(piece, at, at + cipher.sectorSize(), (byte) 0);
      }
    }
    target.data(ByteBuffer.wrap(piece, 0, filled));
    offset += filled;
    filled = 0;
  }

  private boolean[] unwritten() {
    boolean[] sectors = new boolean[keepsZeroes ? filled / cipher.sectorSize() : 0];
    for (int sector = 0; sector < sectors.length; sector++) {
      sectors[sector] = isZero(sector * cipher.sectorSize());
    }
    return sectors;
  }

  private boolean isZero(int from) {
    for (int at = from; at < from + cipher.sectorSize(); at++) {
      if (piece[at] != 0) {
        return false;
      }
    }
    return true;
  }
}
