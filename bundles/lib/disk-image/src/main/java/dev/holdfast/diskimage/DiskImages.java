package dev.holdfast.diskimage;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Opens disk images. Images are untrusted input: an image is accepted only if each table lies
 * inside it, no two tables overlap, and nothing refers to another file.
 */
public final class DiskImages {
  private DiskImages() {}

  /**
   * Opens an image and checks all its tables.
   *
   * @param bytes bytes of the image; closed with the disk, or when this fails
   * @param wanted format of the image; when empty, qcow2 if it begins like one, else raw
   * @param largestSize maximum size of the disk in bytes
   * @return the disk, never null
   * @throws StorageException INVALID with the reason when the image is refused; IO
   */
  public static VirtualDisk open(ImageBytes bytes, Optional<ImageFormat> wanted, long largestSize)
      throws StorageException {
    VirtualDisk disk = null;
    try {
      disk =
          switch (wanted.orElse(format(bytes))) {
            case RAW -> RawDisk.open(bytes, largestSize);
            case QCOW2 -> Qcow2Disk.open(bytes, largestSize);
          };
      return disk;
    } finally {
      if (disk == null) {
        bytes.close();
      }
    }
  }

  private static ImageFormat format(ImageBytes bytes) throws StorageException {
    if (bytes.size() < Integer.BYTES) {
      return ImageFormat.RAW;
    }
    ByteBuffer start = ByteBuffer.allocate(Integer.BYTES);
    bytes.read(0, start);
    return start.getInt(0) == Qcow2Header.MAGIC ? ImageFormat.QCOW2 : ImageFormat.RAW;
  }

  static StorageException refused(String image, String why) {
    return new StorageException(ErrorCode.INVALID, "image " + image + ": " + why);
  }

  static void requireSize(String image, long size, long largest) throws StorageException {
    if (size <= 0) {
      throw refused(image, "the disk is empty");
    } else if (size > largest) {
      throw refused(
          image, "the disk has " + size + " bytes, more than the limit of " + largest + " bytes");
    }
  }
}
