package dev.holdfast.mounts;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/**
 * A file for the import into a volume. The file is untrusted: its header is checked here before a
 * program opens it that would follow its references.
 *
 * @param file path of the file
 * @param format format of the content
 * @param sizeBytes size of the contained disk
 */
public record DiskImage(Path file, Format format, long sizeBytes) {
  private static final int QCOW2_MAGIC = 0x514649fb;
  private static final int HEADER = 104;
  private static final int VERSION_2_HEADER = 72;
  private static final int BACKING_FILE = 8;
  private static final int SIZE = 24;
  private static final int ENCRYPTION = 32;
  private static final int INCOMPATIBLE = 72;
  private static final long DATA_FILE = 1 << 2;
  private static final long KNOWN = (1 << 5) - 1;
  private static final long CORRUPT = 1 << 1;

  /** Formats of images. */
  public enum Format {
    /** The raw bytes of the disk. */
    RAW,
    /** The format of QEMU, versions 2 and 3. */
    QCOW2;

    /** Returns the name for the command line, equal to that of qemu-img. */
    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the format of a name. */
    public static Optional<Format> named(String name) {
      return Arrays.stream(values()).filter(f -> f.toString().equals(name)).findFirst();
    }
  }

  /**
   * Inspects a file.
   *
   * @param wanted its format; empty to detect qcow2 by its header and otherwise use raw
   * @throws StorageException NOT_FOUND; INVALID when the file has another format, is damaged,
   *     encrypted, or references other files
   */
  public static DiskImage inspect(Path file, Optional<Format> wanted) throws StorageException {
    if (!Files.isRegularFile(file)) {
      throw new StorageException(ErrorCode.NOT_FOUND, file + " is not a file");
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer header = ByteBuffer.allocate(HEADER);
      int read = channel.read(header, 0);
      while (read > 0 && header.hasRemaining()) {
        read = channel.read(header, header.position());
      }
      header.flip();
      boolean qcow2 = header.remaining() >= Integer.BYTES && header.getInt(0) == QCOW2_MAGIC;
      Format format = wanted.orElse(qcow2 ? Format.QCOW2 : Format.RAW);
      return switch (format) {
        case RAW -> new DiskImage(file, format, channel.size());
        case QCOW2 -> {
          if (!qcow2) {
            throw wrong(file, "it is not a qcow2 image");
          }
          yield new DiskImage(file, format, qcow2Size(file, header));
        }
      };
    } catch (IOException e) {
      throw StorageException.io(file.toString(), e);
    }
  }

  private static long qcow2Size(Path file, ByteBuffer header) throws StorageException {
    int version = header.remaining() < VERSION_2_HEADER ? 0 : header.getInt(Integer.BYTES);
    if (version != 2 && (version != 3 || header.remaining() < HEADER)) {
      throw wrong(file, "its header is damaged, or of a version that is not known");
    }
    if (header.getLong(BACKING_FILE) != 0) {
      throw wrong(file, "it has a backing file: flatten it first with 'qemu-img convert'");
    }
    if (header.getInt(ENCRYPTION) != 0) {
      throw wrong(file, "it is encrypted: decrypt it first with 'qemu-img convert'");
    }
    long features = version == 2 ? 0 : header.getLong(INCOMPATIBLE);
    if ((features & DATA_FILE) != 0) {
      throw wrong(file, "its data is in another file: make it whole with 'qemu-img convert'");
    }
    if ((features & CORRUPT) != 0 || (features & ~KNOWN) != 0) {
      throw wrong(file, "it is marked as damaged, or needs features that are not known");
    }
    long size = header.getLong(SIZE);
    if (size <= 0) {
      throw wrong(file, "its size is " + size);
    }
    return size;
  }

  private static StorageException wrong(Path file, String why) {
    return new StorageException(ErrorCode.INVALID, file + " cannot be imported: " + why);
  }
}
