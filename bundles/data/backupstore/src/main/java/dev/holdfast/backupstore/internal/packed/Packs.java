package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The form of packs at the target, and a pack that is being filled. Not thread-safe.
 *
 * <pre>
 *   magic 8 | stored chunks
 *   for each chunk: SHA-256 32 | offset 4 | length 4
 *   chunk size 4 | chunks 4 | SHA-256 of the trailer before 32 | magic 8
 * </pre>
 */
final class Packs {
  private static final byte[] MAGIC = "HFPACK1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int LARGEST = 32 << 20;
  private static final int ENTRY = 40;
  private static final int END = 4 + 4 + ChunkList.HASH + 8;

  /** Bytes that compression may add to bytes that cannot be compressed. */
  private static final int OVERHEAD = 64 << 10;

  private final ObjectStore store;
  private final String volume;
  private final int chunkSize;
  private final Supplier<Instant> time;
  private final List<ByteBuffer> content = new ArrayList<>();
  private final Map<BlockList.Hash, ChunkList.Place> entries = new LinkedHashMap<>();
  private String id = "";
  private int size;
  private long sent;

  /**
   * @param time of the target, by which packs are named
   */
  Packs(ObjectStore store, PackedFormat format, Supplier<Instant> time) {
    this.store = store;
    this.volume = format.volume();
    this.chunkSize = format.chunkSize();
    this.time = time;
  }

  /** Returns how many bytes the stored form of a chunk can have. */
  static int largest(int chunkSize) {
    return chunkSize + chunkSize / 128 + OVERHEAD;
  }

  static boolean isPlace(int offset, int length, int chunkSize) {
    return length > 0
        && length <= largest(chunkSize)
        && offset >= MAGIC.length
        && offset <= LARGEST;
  }

  /** Adds a chunk; sends the pack before if it is full. */
  ChunkList.Place add(BlockList.Hash hash, ByteBuffer stored) throws StorageException {
    if (size + stored.remaining() > LARGEST) {
      send();
    }
    if (id.isEmpty()) {
      id = Ulid.of(time.get());
      content.add(ByteBuffer.wrap(MAGIC));
      size = MAGIC.length;
    }
    ChunkList.Place place = new ChunkList.Place(id, size, stored.remaining());
    content.add(stored);
    entries.put(hash, place);
    size += stored.remaining();
    return place;
  }

  /** Sends what was added since the last pack was sent. */
  void send() throws StorageException {
    if (id.isEmpty()) {
      return;
    }
    content.add(trailer());
    store.put(PackedKeys.pack(volume, id), content, PutOptions.REPLACE);
    sent += size;
    content.clear();
    entries.clear();
    id = "";
  }

  /** Returns how many bytes were sent. */
  long sentBytes() {
    return sent;
  }

  private ByteBuffer trailer() {
    ByteBuffer trailer = ByteBuffer.allocate(ENTRY * entries.size() + END);
    entries.forEach(
        (hash, place) ->
            trailer
                .putLong(hash.first())
                .putLong(hash.second())
                .putLong(hash.third())
                .putLong(hash.fourth())
                .putInt(place.offset())
                .putInt(place.length()));
    trailer.putInt(chunkSize).putInt(entries.size());
    byte[] sum = sum(trailer.duplicate().flip());
    return trailer.put(sum).put(MAGIC).flip();
  }

  private static byte[] sum(ByteBuffer bytes) {
    MessageDigest digest = SealedText.sha256();
    digest.update(bytes);
    return digest.digest();
  }

  /**
   * Reads which chunks a pack has.
   *
   * @throws StorageException IO for a damaged pack; what the target throws
   */
  static Map<BlockList.Hash, ChunkList.Place> read(
      ObjectStore store, StoredObject pack, int chunkSize) throws StorageException {
    String id = PackedKeys.id(pack.key()).orElseThrow(() -> damaged(pack, "has another name"));
    if (pack.size() < END + MAGIC.length || pack.size() > 2L * LARGEST) {
      throw damaged(pack, "has " + pack.size() + " bytes");
    }
    ByteBuffer end = get(store, pack, pack.size() - END, END);
    int size = end.getInt();
    int count = end.getInt();
    byte[] sum = new byte[ChunkList.HASH];
    end.get(sum);
    long trailer = (long) ENTRY * count;
    long start = pack.size() - END - trailer;
    boolean right = end.equals(ByteBuffer.wrap(MAGIC)) && size == chunkSize && count > 0;
    if (!right || start < MAGIC.length) {
      throw damaged(pack, "does not end as a pack of this volume");
    }
    ByteBuffer entries = get(store, pack, start, (int) trailer + 8);
    if (!MessageDigest.isEqual(sum(entries.duplicate()), sum)) {
      throw damaged(pack, "has other bytes than the checksum of its trailer");
    }
    Map<BlockList.Hash, ChunkList.Place> found = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      BlockList.Hash hash =
          new BlockList.Hash(
              entries.getLong(), entries.getLong(), entries.getLong(), entries.getLong());
      int offset = entries.getInt();
      int length = entries.getInt();
      if (!isPlace(offset, length, chunkSize) || (long) offset + length > start) {
        throw damaged(pack, "has a chunk at an invalid location");
      }
      found.put(hash, new ChunkList.Place(id, offset, length));
    }
    return found;
  }

  private static ByteBuffer get(ObjectStore store, StoredObject pack, long offset, int length)
      throws StorageException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    store.get(pack.key(), offset, bytes);
    return bytes.flip();
  }

  private static StorageException damaged(StoredObject pack, String what) {
    return new StorageException(ErrorCode.IO, "pack " + pack.key() + ": " + what);
  }
}
