package dev.holdfast.imagesource.clone.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.host.LuksHeaders;
import dev.holdfast.host.LuksKey;
import dev.holdfast.host.LuksVolumeKey;
import dev.holdfast.imagesource.SourceDisk;
import dev.holdfast.imagesource.clone.internal.HeaderFiles.HeaderFile;
import dev.holdfast.imagesource.clone.internal.ImageCloneTransfer.Total;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Puts content into a LUKS2 container, and takes it out of one. cryptsetup makes and opens the
 * header, and this process encrypts the content: the kernel maps nothing that could stay mapped.
 */
final class LuksConversion {
  private static final long LARGEST_HEADER = 32L << 20;
  private static final int SECTOR = 512;
  private static final int PIECE = 1 << 20;

  private final LuksHeaders headers;
  private final HeaderFiles files;
  private final LuksKey key;

  LuksConversion(LuksHeaders headers, HeaderFiles files, LuksKey key) {
    this.headers = headers;
    this.files = files;
    this.key = key;
  }

  void encrypt(SourceDisk disk, Total total, SourceDisk.Target target) throws StorageException {
    try (HeaderFile file = files.create()) {
      // cryptsetup wants room for content too.
      file.channel().write(ByteBuffer.allocate(1), LuksHeaders.OFFSET + PIECE - 1);
      LuksVolumeKey made = headers.create(file.path(), key);
      XtsCipher cipher = XtsCipher.encrypting(made);
      long content = (disk.size() + SECTOR - 1) / SECTOR * SECTOR;
      total.announce(Math.addExact(made.offset(), content));
      pass(file.channel(), made.offset(), target);
      SectorTarget encrypted = SectorTarget.encrypting(cipher, target);
      disk.copy(0, disk.size(), encrypted);
      encrypted.finish();
    } catch (IOException e) {
      throw StorageException.io("the header of an encrypted image", e);
    }
  }

  private static void pass(FileChannel header, long length, SourceDisk.Target target)
      throws IOException, StorageException {
    ByteBuffer piece = ByteBuffer.allocate(PIECE);
    for (long at = 0; at < length; at += piece.limit()) {
      piece.clear().limit((int) Math.min(PIECE, length - at));
      while (piece.hasRemaining()) {
        if (header.read(piece, at + piece.position()) < 0) {
          throw new IOException("cryptsetup made a header that is too short");
        }
      }
      target.data(piece.flip());
    }
  }

  void decrypt(SourceDisk disk, Total total, SourceDisk.Target target) throws StorageException {
    LuksVolumeKey found;
    try (HeaderFile file = files.create()) {
      disk.copy(0, Math.min(disk.size(), LARGEST_HEADER), new FileTarget(file.channel()));
      found = headers.open(file.path(), key);
    }
    XtsCipher cipher = XtsCipher.decrypting(found);
    long content = disk.size() - found.offset();
    if (content <= 0 || content % cipher.sectorSize() != 0) {
      throw new StorageException(
          ErrorCode.INVALID,
          "the LUKS container has "
              + disk.size()
              + " bytes, its content begins at "
              + found.offset()
              + " and has sectors of "
              + cipher.sectorSize()
              + " bytes: the image is incomplete");
    }
    total.announce(content);
    SectorTarget decrypted = SectorTarget.decrypting(cipher, target);
    disk.copy(found.offset(), content, decrypted);
    decrypted.finish();
  }

  /** Writes content to a file; zeroes become holes. */
  private static final class FileTarget implements SourceDisk.Target {
    private final FileChannel file;
    private long position;

    FileTarget(FileChannel file) {
      this.file = file;
    }

    @Override
    public void data(ByteBuffer bytes) throws StorageException {
      try {
        while (bytes.hasRemaining()) {
          position += file.write(bytes, position);
        }
      } catch (IOException e) {
        throw StorageException.io("the header of an encrypted image", e);
      }
    }

    @Override
    public void zeroes(long length) throws StorageException {
      if (length > 0) {
        position += length - 1;
        data(ByteBuffer.allocate(1));
      }
    }
  }
}
