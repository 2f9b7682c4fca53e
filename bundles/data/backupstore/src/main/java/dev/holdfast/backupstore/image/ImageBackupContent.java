package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.LockTiming;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The content of the backup of an image, read from its beginning to its end. While it is open, a
 * lock at the target excludes the deletion of its blocks. For one thread.
 */
public final class ImageBackupContent implements AutoCloseable {
  private final ObjectStore store;
  private final VolumeLock lock;
  private final StoredImage image;
  private final MessageDigest digest = BlockPool.digest();
  private final byte[] stored = new byte[ImageKeys.largest()];
  private final byte[] block = new byte[ImageKeys.BLOCK];

  /** Takes the content in ascending order and without gaps. */
  public interface Sink {
    /**
     * Takes bytes.
     *
     * @param bytes all remaining ones are taken; valid during the call; never null
     * @throws StorageException ends the reading
     */
    void data(ByteBuffer bytes) throws StorageException;

    /**
     * Takes zeroes.
     *
     * @param length how many, more than 0
     * @throws StorageException ends the reading
     */
    void zeroes(long length) throws StorageException;
  }

  private ImageBackupContent(ObjectStore store, VolumeLock lock, StoredImage image) {
    this.store = store;
    this.lock = lock;
    this.image = image;
  }

  /**
   * Opens a backup after its lock is admitted, which takes 2 s.
   *
   * @param store the target, which the caller closes after the content, not null
   * @param image its name, not null
   * @param timing of the lock, not null
   * @return the content, which the caller closes, never null
   * @throws StorageException BUSY while a deletion has locked the images; as {@link
   *     LonghornImages#image}
   */
  public static ImageBackupContent open(ObjectStore store, String image, LockTiming timing)
      throws StorageException {
    // A backup that does not exist gets no lock.
    var unused = new LonghornImages(store).image(image);
    VolumeLock lock = VolumeLock.acquire(store, ImageKeys.LOCK, VolumeLock.Type.BACKUP, timing);
    boolean complete = false;
    try {
      ImageBackupContent content =
          new ImageBackupContent(store, lock, new LonghornImages(store).image(image));
      complete = true;
      return content;
    } finally {
      if (!complete) {
        lock.close();
      }
    }
  }

  /** Returns the backup, never null. */
  public StoredImage image() {
    return image;
  }

  /**
   * Passes the content on.
   *
   * @param from offset of the first byte, inside the image
   * @param sink takes everything from there to the end of the image, not null
   * @throws StorageException IO for a block that is missing or has other bytes; CONFLICT when the
   *     lock was lost; what the target or the sink throws
   */
  public void copyTo(long from, Sink sink) throws StorageException {
    long size = image.summary().sizeBytes();
    long at = from;
    int index = image.blocks().firstEndingBehind(from, ImageKeys.BLOCK);
    for (; index < image.blockCount(); index++) {
      lock.keep();
      long offset = image.blocks().offset(index);
      int length = load(index);
      if (offset > at) {
        sink.zeroes(offset - at);
        at = offset;
      }
      int skipped = (int) (at - offset);
      sink.data(ByteBuffer.wrap(block, skipped, length - skipped).slice());
      at = offset + length;
    }
    if (at < size) {
      sink.zeroes(size - at);
    }
  }

  /** Fills the block; returns how many bytes of it belong to the image. */
  private int load(int index) throws StorageException {
    long offset = image.blocks().offset(index);
    int length = ImageKeys.lengthAt(offset, image.summary().sizeBytes());
    String checksum = image.blocks().checksum(index);
    String key = ImageKeys.BLOCKS.key(checksum);
    Optional<StoredObject> object = store.stat(key);
    if (object.isEmpty()) {
      throw damaged(offset, key, "is missing");
    }
    if (object.get().size() > stored.length) {
      throw damaged(offset, key, "has " + object.get().size() + " bytes, too many for a block");
    }
    int storedLength = (int) object.get().size();
    store.get(key, 0, ByteBuffer.wrap(stored, 0, storedLength));
    // Images share blocks, so that a block may be stored as the first of them wanted it.
    for (Compression compression : methods()) {
      int count = decompressed(compression, storedLength);
      if (count >= length) {
        digest.update(block, 0, count);
        if (BlockPool.checksum(digest.digest()).equals(checksum)) {
          return length;
        }
      }
    }
    throw damaged(offset, key, "has other bytes");
  }

  private List<Compression> methods() {
    List<Compression> methods = new ArrayList<>(List.of(Compression.values()));
    methods.removeIf(method -> !method.isLonghorn());
    methods.remove(image.summary().compression());
    methods.add(0, image.summary().compression());
    return methods;
  }

  /** Returns the size of the block, -1 where it is not stored by this method. */
  private int decompressed(Compression compression, int length) {
    try {
      return compression.decompressAtMost(stored, length, block);
    } catch (IOException | RuntimeException e) {
      // The decoder of LZ4 reports some damaged frames by unchecked exceptions.
      return -1;
    }
  }

  private StorageException damaged(long offset, String key, String what) {
    return new StorageException(
        ErrorCode.IO,
        "backup of image "
            + image.summary().name()
            + ": block at offset "
            + offset
            + ": "
            + key
            + " "
            + what);
  }

  /** Releases the lock. */
  @Override
  public void close() {
    lock.close();
  }
}
