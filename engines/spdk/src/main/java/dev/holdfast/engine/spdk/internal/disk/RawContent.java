package dev.holdfast.engine.spdk.internal.disk;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;

/**
 * Content of a device before SPDK uses it. The first 4 MiB and the last 1 MiB are read: formats of
 * disks, filesystems and volume managers begin or end there.
 *
 * @param size of the device in bytes
 * @param found what is there in words, empty for a blank device
 */
record RawContent(long size, String found) {
  /** Name of the content that a store of logical volumes has. */
  static final String STORE = "an SPDK store";

  private static final int HEAD = 4 << 20;
  private static final int TAIL = 1 << 20;

  private static final List<Signature> SIGNATURES =
      List.of(
          new Signature(0, "SPDKBLOB", STORE),
          new Signature(512, "EFI PART", "a GPT partition table"),
          new Signature(4_096, "EFI PART", "a GPT partition table"),
          new Signature(0, "LUKS\u00ba\u00be", "a LUKS volume"),
          new Signature(0, "XFSB", "an XFS filesystem"),
          new Signature(1_080, "S\u00ef", "an ext filesystem"),
          new Signature(512, "LABELONE", "an LVM physical volume"),
          new Signature(65_600, "_BHRfS_M", "a Btrfs filesystem"),
          new Signature(510, "U\u00aa", "an MBR partition table"));

  /** Bytes at a place that tell a format; in Latin-1. */
  private record Signature(int offset, String bytes, String name) {
    boolean isIn(ByteBuffer head) {
      byte[] expected = bytes.getBytes(StandardCharsets.ISO_8859_1);
      byte[] found = new byte[expected.length];
      if (offset + expected.length > head.limit()) {
        return false;
      }
      head.get(offset, found);
      return Arrays.equals(expected, found);
    }
  }

  boolean isBlank() {
    return found.isEmpty();
  }

  boolean isStore() {
    return found.equals(STORE);
  }

  /** Looks at a device or file without changing it. */
  static RawContent of(Path device) throws StorageException {
    if (Files.isDirectory(device)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "disk " + device + ": is a directory: name a block device below /dev/disk/by-id");
    }
    try (FileChannel channel = FileChannel.open(device, StandardOpenOption.READ)) {
      long size = channel.size();
      ByteBuffer head = read(channel, 0, Math.min(HEAD, size));
      for (Signature signature : SIGNATURES) {
        if (signature.isIn(head)) {
          return new RawContent(size, signature.name());
        }
      }
      long tail = Math.max(0, size - TAIL);
      boolean blank = isZero(head) && isZero(read(channel, tail, size - tail));
      return new RawContent(size, blank ? "" : "data of an unknown format");
    } catch (NoSuchFileException e) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "disk " + device + ": does not exist: check its path", e);
    } catch (IOException e) {
      throw StorageException.io("disk " + device, e);
    }
  }

  private static ByteBuffer read(FileChannel channel, long offset, long length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate((int) length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        break;
      }
    }
    return bytes.flip();
  }

  private static boolean isZero(ByteBuffer bytes) {
    return bytes.equals(ByteBuffer.allocate(bytes.limit()));
  }
}
