package dev.holdfast.backupstore.image;

import dev.holdfast.backupstore.LonghornBackupWriter;
import dev.holdfast.backupstore.VolumeLock;
import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.BlockPool;
import dev.holdfast.backupstore.internal.BlockTable;
import dev.holdfast.backupstore.internal.BlockWorkers;
import dev.holdfast.backupstore.internal.KnownBlocks;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;

/** One attempt to write the backup of an image, under the lock of the images. */
final class ImageBackupAttempt {
  private final ObjectStore store;
  private final LonghornImages images;
  private final VolumeLock lock;
  private final ImageBackupRequest request;
  private final ImageSource source;
  private final int threads;
  private final long size;

  ImageBackupAttempt(
      ObjectStore store,
      VolumeLock lock,
      ImageBackupRequest request,
      ImageSource source,
      int threads) {
    this.store = store;
    this.images = new LonghornImages(store);
    this.lock = lock;
    this.request = request;
    this.source = source;
    this.threads = threads;
    this.size = source.sizeBytes();
  }

  StoredImage run(LonghornBackupWriter.Progress progress) throws StorageException {
    BitSet data = source.dataBlocks(ImageKeys.BLOCK);
    String checksum = request.checksum().isEmpty() ? digest(data) : request.checksum();
    KnownBlocks known = KnownBlocks.list(store, ImageKeys.BLOCKS, ImageKeys.largest());
    Optional<StoredImage> present = present(checksum);
    if (present.isPresent() && known.hasAll(present.get().blocks())) {
      return present.get();
    }
    String begun = now();
    BlockTable table = new BlockTable("image " + request.image(), size, ImageKeys.BLOCK);
    put(summary(checksum, begun, ""), table);
    upload(data, table, known, progress);
    lock.refresh();
    put(summary(checksum, begun, now()), table);
    StoredImage stored = images.image(request.image());
    if (!isSame(table, stored) || !stored.summary().checksum().equals(checksum)) {
      throw new StorageException(
          ErrorCode.IO,
          "backup of image "
              + request.image()
              + ": the target returns another configuration than was written");
    }
    return stored;
  }

  /** Returns the complete backup that the target has; refuses that of another image. */
  private Optional<StoredImage> present(String checksum) throws StorageException {
    Optional<StoredImage> found = images.find(request.image());
    if (found.isEmpty() || found.get().summary().inProgress()) {
      return Optional.empty();
    }
    StoredImage.Summary other = found.get().summary();
    if (other.sizeBytes() != size || !other.checksum().equals(checksum)) {
      throw new StorageException(
          ErrorCode.ALREADY_EXISTS,
          "image "
              + request.image()
              + ": the target has another image of this name, with the SHA-512 "
              + Printable.of(other.checksum())
              + ": delete that backup, or use another target");
    }
    return found;
  }

  private String now() {
    return lock.targetTime().truncatedTo(ChronoUnit.SECONDS).toString();
  }

  private StoredImage.Summary summary(String checksum, String begun, String completed) {
    return new StoredImage.Summary(
        request.image(),
        size,
        checksum,
        request.contentChecksum(),
        begun,
        completed,
        request.compression(),
        request.labels());
  }

  private void put(StoredImage.Summary summary, BlockTable table) throws StorageException {
    store.put(
        ImageKeys.config(request.image()),
        List.of(ImageConfigText.of(summary, table)),
        PutOptions.REPLACE);
  }

  /** Reads the whole image for its SHA-512. */
  private String digest(BitSet data) throws StorageException {
    MessageDigest digest = BlockPool.digest();
    byte[] block = new byte[ImageKeys.BLOCK];
    byte[] zeroes = new byte[ImageKeys.BLOCK];
    for (long offset = 0; offset < size; offset += ImageKeys.BLOCK) {
      lock.keep();
      int length = ImageKeys.lengthAt(offset, size);
      if (data.get((int) (offset / ImageKeys.BLOCK))) {
        source.read(offset, ByteBuffer.wrap(block, 0, length));
        digest.update(block, 0, length);
      } else {
        digest.update(zeroes, 0, length);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private void upload(
      BitSet data, BlockTable table, KnownBlocks known, LonghornBackupWriter.Progress progress)
      throws StorageException {
    int[] indexes = data.stream().filter(i -> i < table.limit()).toArray();
    long total = (long) indexes.length * ImageKeys.BLOCK;
    AtomicLong done = new AtomicLong();
    BlockWorkers.run(
        "writing the backup of an image",
        BlockWorkers.affordable(threads, 3L * ImageKeys.BLOCK),
        indexes.length,
        () -> {
          byte[] block = new byte[ImageKeys.BLOCK];
          MessageDigest digest = BlockPool.digest();
          return i -> {
            handle(indexes[i], block, digest, table, known);
            lock.keep();
            progress.advanced(done.addAndGet(ImageKeys.BLOCK), total);
          };
        });
  }

  private void handle(
      int index, byte[] block, MessageDigest digest, BlockTable table, KnownBlocks known)
      throws StorageException {
    long offset = (long) index * ImageKeys.BLOCK;
    int length = ImageKeys.lengthAt(offset, size);
    source.read(offset, ByteBuffer.wrap(block, 0, length));
    if (isZero(block, length)) {
      return;
    }
    digest.update(block, 0, length);
    BlockList.Hash hash = BlockList.Hash.of(digest.digest());
    if (known.add(hash)) {
      try {
        // The last block of an image has the bytes of the image only.
        byte[] bytes = length == block.length ? block : Arrays.copyOf(block, length);
        store.put(
            ImageKeys.BLOCKS.key(hash.text()),
            List.of(request.compression().compress(bytes)),
            PutOptions.REPLACE);
      } catch (IOException e) {
        throw StorageException.io("backup of image " + request.image(), e);
      }
    }
    table.put(index, hash);
  }

  private static boolean isZero(byte[] block, int length) {
    for (int i = 0; i < length; i++) {
      if (block[i] != 0) {
        return false;
      }
    }
    return true;
  }

  private static boolean isSame(BlockTable table, StoredImage stored) {
    BlockList read = stored.blocks();
    if (read.size() != table.count()) {
      return false;
    }
    for (int i = 0; i < read.size(); i++) {
      int index = (int) (read.offset(i) / ImageKeys.BLOCK);
      if (!table.has(index) || !table.hash(index).equals(read.hash(i))) {
        return false;
      }
    }
    return true;
  }
}
