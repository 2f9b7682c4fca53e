package dev.holdfast.backupstore.internal.packed;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.backupstore.Compression;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Properties that all backups of a volume have in common; never changes.
 *
 * @param volume name of the volume
 * @param chunkSize bytes of a chunk, a power of two
 * @param compression of chunks
 * @param created when the first backup of the volume began
 * @param firstSize of the volume at that time
 */
record PackedFormat(
    String volume, int chunkSize, Compression compression, String created, long firstSize) {
  static final int VERSION = 1;
  static final int SMALLEST_CHUNK = 64 << 10;
  static final int LARGEST_CHUNK = 16 << 20;

  /** Larger than any volume. */
  static final long LARGEST_VOLUME = 1L << 50;

  /** A volume gets larger chunks rather than more of them: each takes 92 bytes of memory. */
  private static final long USUAL_CHUNKS = 1 << 20;

  private static final int LARGEST = 64 << 10;

  static int chunkSizeFor(long volumeSize) {
    int size = SMALLEST_CHUNK;
    while (size < LARGEST_CHUNK && volumeSize / size > USUAL_CHUNKS) {
      size *= 2;
    }
    return size;
  }

  /** Returns the format of a volume, empty for a volume without packed backups. */
  static Optional<PackedFormat> read(ObjectStore store, String volume) throws StorageException {
    Optional<StoredObject> object = store.stat(PackedKeys.format(volume));
    return object.isEmpty() ? Optional.empty() : Optional.of(read(store, volume, object.get()));
  }

  private static PackedFormat read(ObjectStore store, String volume, StoredObject object)
      throws StorageException {
    return parse(SealedText.read(store, object, LARGEST, "volume " + volume), volume);
  }

  static PackedFormat parse(SealedText text, String volume) throws StorageException {
    long version = text.number("version", 1, Integer.MAX_VALUE);
    String encryption = text.text("encryption");
    String hash = text.text("hash");
    if (version != VERSION || !encryption.equals("none") || !hash.equals("sha256")) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + ": packed layout, version "
              + version
              + ", encryption "
              + Printable.of(encryption)
              + ", hash "
              + Printable.of(hash)
              + ": this version of Holdfast reads version 1, encryption none, hash sha256: update"
              + " Holdfast");
    }
    if (!text.text("volume").equals(volume)) {
      throw text.damaged("is that of the volume \"" + text.text("volume") + "\"");
    }
    int chunk = (int) text.number("chunkSize", SMALLEST_CHUNK, LARGEST_CHUNK);
    if (Integer.bitCount(chunk) != 1) {
      throw text.damaged("field chunkSize: " + chunk + " is not a power of two");
    }
    return new PackedFormat(
        volume,
        chunk,
        Compression.ofPacked("volume " + volume, text.text("compression")),
        text.time("created"),
        text.number("volumeSize", 1, LARGEST_VOLUME));
  }

  ByteBuffer text() throws StorageException {
    ObjectNode fields =
        SealedText.create()
            .put("version", VERSION)
            .put("volume", volume)
            .put("hash", "sha256")
            .put("encryption", "none")
            .put("chunkSize", chunkSize)
            .put("compression", compression.text())
            .put("created", created)
            .put("volumeSize", firstSize);
    return SealedText.seal(fields);
  }

  /** Returns the format of a volume after its first writer recorded it. */
  static PackedFormat create(
      ObjectStore store, String volume, long size, Compression compression, Instant now)
      throws StorageException {
    PackedFormat wanted =
        new PackedFormat(volume, chunkSizeFor(size), compression, now.toString(), size);
    boolean exclusive = store.capabilities().contains(StoreCapability.CREATE_IF_ABSENT);
    try {
      store.put(
          PackedKeys.format(volume),
          List.of(wanted.text()),
          exclusive ? PutOptions.IF_ABSENT : PutOptions.REPLACE);
    } catch (StorageException e) {
      if (e.code() != ErrorCode.CONFLICT) {
        throw e;
      }
    }
    return read(store, volume)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.IO, "volume " + volume + ": the target did not keep format.json"));
  }
}
