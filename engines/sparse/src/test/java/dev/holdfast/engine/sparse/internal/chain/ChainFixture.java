package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.SnapshotInfo;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Layers of one replica in real files, for tests of their operations. */
abstract class ChainFixture {
  static final int BLOCK = 4096;
  static final long SIZE = 64L * BLOCK;

  @TempDir Path disk;
  ReplicaDirectory directory;
  LocalChain chain;
  int operations;

  @BeforeEach
  void provision() throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
    directory = new LocalReplicaDirectory(location.directory());
    open();
  }

  @AfterEach
  void close() throws Exception {
    chain.close();
  }

  void open() throws Exception {
    chain = LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false);
  }

  void reopen() throws Exception {
    chain.close();
    open();
  }

  void perform(ChainOperation.Kind kind, String snapshot) throws StorageException {
    perform(kind, snapshot, 0);
  }

  void perform(ChainOperation.Kind kind, String snapshot, long size) throws StorageException {
    chain.perform(
        new ChainOperation(
            "op-" + operations++, kind, snapshot, true, "2026-11-21T08:00:00Z", Map.of(), size));
  }

  void snapshot(String name) throws StorageException {
    perform(ChainOperation.Kind.SNAPSHOT, name);
  }

  void write(int block, int value) throws Exception {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) value);
    chain.layers().write((long) block * BLOCK, ByteBuffer.wrap(content));
  }

  void trim(int block, int count) throws Exception {
    chain.layers().zero((long) block * BLOCK, (long) count * BLOCK, false);
  }

  int read(int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.layers().read((long) block * BLOCK, content);
    return value(content);
  }

  int read(String snapshot, int block) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCK);
    chain.read(snapshot, (long) block * BLOCK, content);
    return value(content);
  }

  static int value(ByteBuffer content) {
    byte first = content.get(0);
    for (int at = 0; at < content.capacity(); at++) {
      assertThat(content.get(at)).isEqualTo(first);
    }
    return first;
  }

  List<Integer> changed(String older, String newer) throws Exception {
    List<Integer> blocks = new ArrayList<>();
    long[] end = {0};
    chain.changes(
        older,
        newer,
        (offset, length, kind) -> {
          assertThat(offset).isEqualTo(end[0]);
          end[0] += length;
          for (long at = offset; kind == ExtentKind.DATA && at < offset + length; at += BLOCK) {
            blocks.add((int) (at / BLOCK));
          }
          return true;
        });
    return blocks;
  }

  List<String> names() throws Exception {
    return chain.snapshots().stream().map(SnapshotInfo::name).toList();
  }

  void coalesceAll() throws Exception {
    while (chain.coalesce(Set.of())) {
      // One after the other.
    }
  }

  static ErrorCode code(Throwable failure) {
    return ((StorageException) failure).code();
  }
}
