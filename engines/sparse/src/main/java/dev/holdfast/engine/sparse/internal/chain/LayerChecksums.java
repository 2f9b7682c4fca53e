package dev.holdfast.engine.sparse.internal.chain;

import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.disk.Zeroes;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * Checksums of layers: of which blocks they hold, and of the content of these. A block of zeroes in
 * an oldest layer counts as none, for whether one is allocated there depends on the file system.
 * They are kept beside the engine's other files until the layer changes.
 */
final class LayerChecksums {
  private static final int PIECE = 1 << 20;
  private static final String METHOD = "sha256:";

  private final ReplicaDirectory directory;

  LayerChecksums(ReplicaDirectory directory) {
    this.directory = directory;
  }

  /** Returns what was remembered of a layer, empty when nothing was since it changed last. */
  Optional<String> known(String image) throws IOException {
    return StateFiles.load(directory, file(image), String.class);
  }

  void remember(String image, String checksum) throws IOException {
    StateFiles.store(directory, file(image), checksum);
  }

  /** Forgets what is known of a layer, durably, before it changes. */
  static void forget(ReplicaDirectory directory, String image) throws IOException {
    if (directory.load(file(image)).isPresent()) {
      directory.remove(file(image));
    }
    directory.remove(LonghornLayout.checksumOf(image));
  }

  private static String file(String image) {
    return StateFiles.CHECKSUM_PREFIX + LonghornLayout.snapshotOf(image);
  }

  /**
   * Computes the checksum of a part of a layer.
   *
   * @param oldest whether no layer is below it
   * @param offset first byte, a multiple of 4096
   * @param length in bytes, cut at the end of the layer
   * @param pace called with the bytes that were read
   */
  String compute(String image, boolean oldest, long offset, long length, LongConsumer pace)
      throws IOException {
    MessageDigest digest = sha256();
    try (ReplicaFile file = directory.open(image)) {
      long end = Math.min(file.size(), offset + length);
      digest.update(ByteBuffer.allocate(Long.BYTES).putLong(file.size()).flip());
      ByteBuffer content = ByteBuffer.allocateDirect(PIECE);
      for (long at = LayerView.nextData(file, offset, end); at < end; ) {
        long hole = LayerView.nextHole(file, at, Math.min(end, at + PIECE));
        content.clear().limit((int) (hole - at));
        file.read(content, at);
        add(digest, content.flip(), at, oldest);
        pace.accept(hole - at);
        at = LayerView.nextData(file, hole, end);
      }
    }
    return METHOD + HexFormat.of().formatHex(digest.digest());
  }

  private static void add(MessageDigest digest, ByteBuffer content, long at, boolean oldest) {
    ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
    int limit = content.limit();
    for (int from = 0; from < limit; from += BlockIndex.BLOCK_SIZE) {
      content.limit(Math.min(limit, from + BlockIndex.BLOCK_SIZE)).position(from);
      if (!oldest || !Zeroes.only(content)) {
        digest.update(number.clear().putLong(at + from).flip());
        digest.update(content);
      }
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java platform has SHA-256", e);
    }
  }
}
