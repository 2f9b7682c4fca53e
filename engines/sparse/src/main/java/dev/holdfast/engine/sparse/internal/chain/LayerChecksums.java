package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checksums of layers. A checksum covers which blocks a layer holds and their content. A block of
 * zeroes in a lowest layer does not count, because the file system decides whether it is allocated.
 * Checksums are kept in the engine's state folder until the layer changes.
 */
final class LayerChecksums {
  private static final int PIECE = 1 << 20;
  private static final Logger LOG = LoggerFactory.getLogger(LayerChecksums.class);
  private static final String METHOD = "sha256:";

  private final ReplicaDirectory directory;

  LayerChecksums(ReplicaDirectory directory) {
    this.directory = directory;
  }

  /** Returns the stored checksum of a layer, empty when none was stored since its last change. */
  Optional<String> known(String image) {
    return load(file(image), String.class);
  }

  // The checksum can be computed again, so damage is ignored.
  private <T> Optional<T> load(String file, Class<T> type) {
    try {
      return StateFiles.load(directory, file, type);
    } catch (IOException e) {
      LOG.warn("ignoring {}: {}", file, e.getMessage());
      return Optional.empty();
    }
  }

  /**
   * Returns the stored checksums of a layer's regions, concatenated; empty when none are stored.
   */
  Optional<byte[]> kept(String image) {
    return load(sumsFile(image), byte[].class);
  }

  /** Stores the checksums of all regions of a layer until it changes. */
  void keep(String image, byte[] sums) throws IOException {
    StateFiles.store(directory, sumsFile(image), sums);
  }

  void remember(String image, String checksum) throws IOException {
    StateFiles.store(directory, file(image), checksum);
  }

  /** Removes all stored checksums of a layer, durably. Called before the layer changes. */
  static void forget(ReplicaDirectory directory, String image) throws IOException {
    for (String file : List.of(file(image), sumsFile(image))) {
      if (directory.files(StateFiles.FOLDER).contains(file)) {
        directory.remove(file);
      }
    }
    directory.remove(LonghornLayout.checksumOf(image));
  }

  private static String sumsFile(String image) {
    return StateFiles.SUMS_PREFIX + LonghornLayout.snapshotOf(image);
  }

  private static String file(String image) {
    return StateFiles.CHECKSUM_PREFIX + LonghornLayout.snapshotOf(image);
  }

  /**
   * Computes the checksum of a part of a layer.
   *
   * @param lowest whether neither a layer nor a base is below it
   * @param offset first byte, a multiple of 4096
   * @param length length in bytes; ends at the end of the layer at the latest
   * @param pace called with the number of bytes read
   */
  String compute(String image, boolean lowest, long offset, long length, LongConsumer pace)
      throws IOException {
    MessageDigest digest = sha256();
    try (ReplicaFile file = directory.open(image)) {
      long end = Math.min(file.size(), offset + length);
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(file.size()).flip());
      read(
          file,
          offset,
          end,
          (content, at) -> {
            int read = content.remaining();
            var unused = add(digest, content, at, lowest);
            pace.accept(read);
          });
    }
    return METHOD + HexFormat.of().formatHex(digest.digest());
  }

  /**
   * Computes the checksums of regions, each {@link LayerSums#LENGTH} bytes. Computes at least one,
   * and stops when it has read enough for one call. A region without data has a checksum of zeroes.
   *
   * @param lowest whether neither a layer nor a base is below it
   * @param offset first byte of the first region
   * @param end end of the last region, may lie behind the layer's end
   */
  byte[] regions(String image, boolean lowest, long offset, long end) throws IOException {
    ByteArrayOutputStream sums = new ByteArrayOutputStream();
    try (ReplicaFile file = directory.open(image)) {
      long read = 0;
      for (long at = offset; at < end && read < LayerSums.REGION; at += LayerSums.REGION) {
        MessageDigest digest = sha256();
        long regionEnd = Math.min(file.size(), at + LayerSums.REGION);
        boolean[] something = new boolean[1];
        read +=
            read(
                file,
                at,
                regionEnd,
                (content, data) -> something[0] |= add(digest, content, data, lowest));
        sums.writeBytes(something[0] ? digest.digest() : new byte[LayerSums.LENGTH]);
      }
    }
    return sums.toByteArray();
  }

  /** Action on a piece of data. */
  @FunctionalInterface
  private interface Use {
    void of(ByteBuffer content, long at);
  }

  // Does not ask the file system for the end of data: tmpfs, for example, visits every page up to
  // there, which can be the whole file. Only a block of zeroes may be a hole. Returns the number of
  // bytes read.
  private static long read(ReplicaFile file, long offset, long end, Use use) throws IOException {
    ByteBuffer content = ByteBuffer.allocateDirect(PIECE);
    long read = 0;
    long at = LayerView.nextData(file, offset, end);
    while (at < end) {
      int length = (int) Math.min(PIECE, end - at);
      content.clear().limit(length);
      file.read(content, at);
      int held = held(file, content.flip(), at);
      use.of(content.position(0).limit(held), at);
      read += held;
      at = held < length ? LayerView.nextData(file, at + held, end) : at + held;
    }
    return read;
  }

  /** Returns how many of the read bytes precede the first hole. */
  private static int held(ReplicaFile file, ByteBuffer content, long at) throws IOException {
    int length = content.limit();
    for (int from = 0; from < length; from += BlockIndex.BLOCK_SIZE) {
      int to = Math.min(length, from + BlockIndex.BLOCK_SIZE);
      content.limit(to).position(from);
      if (Zeroes.only(content) && LayerView.nextData(file, at + from, at + to) == at + to) {
        return from;
      }
    }
    return length;
  }

  private static boolean add(MessageDigest digest, ByteBuffer content, long at, boolean lowest) {
    boolean added = false;
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    int limit = content.limit();
    for (int from = 0; from < limit; from += BlockIndex.BLOCK_SIZE) {
      content.limit(Math.min(limit, from + BlockIndex.BLOCK_SIZE)).position(from);
      if (!lowest || !Zeroes.only(content)) {
        digest.update(number.clear().putLong(at + from).flip());
        digest.update(content);
        added = true;
      }
    }
    return added;
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
