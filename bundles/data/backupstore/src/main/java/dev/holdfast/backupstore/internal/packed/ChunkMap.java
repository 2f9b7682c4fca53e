package dev.holdfast.backupstore.internal.packed;

import dev.holdfast.backupstore.internal.BlockList;
import dev.holdfast.backupstore.internal.ObjectInput;
import dev.holdfast.backupstore.internal.Printable;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/**
 * The form of a list of chunks at the target.
 *
 * <pre>
 *   magic 8 | chunk size 4 | 1 for a full map, 0 for changes 4 | packs 4 | chunks 4
 *   id of each pack 26
 *   for each chunk: number 4 | pack 4, -1 for zeroes | offset 4 | length 4 | SHA-256 32
 *   SHA-256 of all before 32
 * </pre>
 */
final class ChunkMap {
  static final int MOST_CHUNKS = 1 << 24;
  private static final byte[] MAGIC = "HFMAP01\n".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER = 24;
  private static final int ENTRY = 48;
  private static final int PART = 4 << 20;

  private final String subject;
  private final int chunkSize;
  private final int limit;

  /** Properties that a map must have. */
  record Expected(boolean full, String sha256) {}

  /** The bytes of a map, and their checksum. */
  record Text(List<ByteBuffer> parts, String sha256) {}

  /**
   * @param subject begins messages
   * @param limit how many chunks the volume can have
   */
  ChunkMap(String subject, int chunkSize, int limit) {
    this.subject = subject;
    this.chunkSize = chunkSize;
    this.limit = limit;
  }

  Text text(ChunkList list, boolean full) {
    List<ByteBuffer> parts = new ArrayList<>();
    MessageDigest digest = SealedText.sha256();
    ByteBuffer part = ByteBuffer.allocate(HEADER + Ulid.LENGTH * list.packs().size());
    part.put(MAGIC).putInt(chunkSize).putInt(full ? 1 : 0);
    part.putInt(list.packs().size()).putInt(list.size());
    list.packs().forEach(pack -> part.put(pack.getBytes(StandardCharsets.US_ASCII)));
    parts.add(part.flip());
    byte[] hashes = list.hashes();
    int inPart = PART / ENTRY;
    for (int from = 0; from < list.size(); from += inPart) {
      int to = Math.min(list.size(), from + inPart);
      ByteBuffer entries = ByteBuffer.allocate(ENTRY * (to - from));
      for (int i = from; i < to; i++) {
        entries.putInt(list.number(i)).putInt(list.packNumber(i));
        entries.putInt(list.offset(i)).putInt(list.length(i));
        entries.put(hashes, i * ChunkList.HASH, ChunkList.HASH);
      }
      parts.add(entries.flip());
    }
    parts.forEach(bytes -> digest.update(bytes.duplicate()));
    byte[] sum = digest.digest();
    parts.add(ByteBuffer.wrap(sum));
    return new Text(parts, SealedText.hex(sum));
  }

  /** Reads a map; memory grows with what was read, never by what the map announces. */
  ChunkList read(ObjectStore store, String key, Expected expected) throws StorageException {
    StoredObject object = store.stat(key).orElseThrow(() -> damaged("map " + key + " is missing"));
    MessageDigest digest = SealedText.sha256();
    try (DataInputStream stream =
        new DataInputStream(
            new DigestInputStream(new ObjectInput(store, key, object.size()), digest))) {
      return read(stream, digest, object, expected);
    } catch (IOException e) {
      if (e.getCause() instanceof StorageException cause) {
        throw new StorageException(cause.code(), subject + ": " + cause.getMessage(), cause);
      }
      throw damaged("map " + key + " is truncated");
    } catch (IllegalArgumentException e) {
      throw damaged("map " + key + ": " + e.getMessage());
    }
  }

  private ChunkList read(
      DataInputStream stream, MessageDigest digest, StoredObject object, Expected expected)
      throws IOException, StorageException {
    String map = "map " + object.key();
    byte[] magic = stream.readNBytes(MAGIC.length);
    int size = stream.readInt();
    int full = stream.readInt();
    int packs = stream.readInt();
    int chunks = stream.readInt();
    boolean right =
        java.util.Arrays.equals(magic, MAGIC)
            && size == chunkSize
            && full == (expected.full() ? 1 : 0)
            && chunks >= 0
            && chunks <= limit
            && packs >= 0
            && packs <= chunks;
    if (!right) {
      throw damaged(map + " does not begin as the map of this backup");
    }
    long length = HEADER + (long) Ulid.LENGTH * packs + (long) ENTRY * chunks + ChunkList.HASH;
    if (object.size() != length) {
      throw damaged(map + " has " + object.size() + " bytes instead of " + length);
    }
    ChunkList list = entries(stream, packs, chunks, expected.full());
    String found = SealedText.hex(digest.digest());
    String sum = SealedText.hex(stream.readNBytes(ChunkList.HASH));
    if (!found.equals(sum) || !found.equals(expected.sha256())) {
      throw damaged(map + " has other bytes than its checksum");
    }
    return list;
  }

  private ChunkList entries(DataInputStream stream, int packs, int chunks, boolean full)
      throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < packs; i++) {
      String name = new String(stream.readNBytes(Ulid.LENGTH), StandardCharsets.ISO_8859_1);
      require(Ulid.isValid(name), "pack " + Printable.of(name));
      names.add(name);
    }
    ChunkList.Builder list = new ChunkList.Builder();
    byte[] hash = new byte[ChunkList.HASH];
    for (int i = 0; i < chunks; i++) {
      int number = stream.readInt();
      int pack = stream.readInt();
      int offset = stream.readInt();
      int length = stream.readInt();
      stream.readFully(hash);
      require(number >= 0 && number < limit, "chunk " + number);
      if (pack == -1) {
        require(!full, "chunk " + number + " of a full map has no location");
        list.addZeroes(number);
        continue;
      }
      require(pack >= 0 && pack < packs, "chunk " + number + " is in pack " + pack);
      require(
          Packs.isPlace(offset, length, chunkSize), "chunk " + number + " has an invalid location");
      list.add(
          number, BlockList.Hash.of(hash), new ChunkList.Place(names.get(pack), offset, length));
    }
    return list.build();
  }

  private static void require(boolean right, String what) {
    if (!right) {
      throw new IllegalArgumentException(what + ": not possible");
    }
  }

  private StorageException damaged(String what) {
    return new StorageException(ErrorCode.IO, subject + ": " + what);
  }
}
