package dev.holdfast.engine.sparse.internal.chain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.block.ExtentKind;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.StateFiles;
import dev.holdfast.engine.sparse.internal.layout.LonghornLayout;
import dev.holdfast.engine.sparse.internal.replica.ReplicaIdentity;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Transfers of layers from one replica to another. */
class LayerTransferTest {
  private static final int BLOCK = 4096;
  private static final int BLOCKS = 64;
  private static final String JOIN = LonghornLayout.imageOf("join");

  @TempDir private Path disk;
  private final Random random = new Random(1);
  private LocalChain source;
  private LocalChain target;

  @BeforeEach
  void open() throws Exception {
    source = provision("source");
    target = provision("target");
  }

  private LocalChain provision(String name) throws Exception {
    new ReplicaStorage().provision(location(name), (long) BLOCKS * BLOCK);
    return reopen(name);
  }

  private ReplicaLocation location(String name) {
    return new ReplicaLocation("v", name, "n", disk, name);
  }

  private LocalChain reopen(String name) throws Exception {
    ReplicaDirectory directory = new LocalReplicaDirectory(location(name).directory());
    return LocalChain.open(directory, LonghornLayout.volumeMeta(directory).orElseThrow(), false);
  }

  @AfterEach
  void close() throws Exception {
    source.close();
    target.close();
  }

  private static void snapshot(LocalChain chain, String name) throws StorageException {
    chain.perform(
        new ChainOperation(
            name, ChainOperation.Kind.SNAPSHOT, name, true, "", Map.of("made", "here"), 0));
  }

  private void scribble(LocalChain... chains) throws Exception {
    for (int i = 0; i < 20; i++) {
      byte[] content = new byte[BLOCK * (1 + random.nextInt(3))];
      random.nextBytes(content);
      long offset = (long) random.nextInt(BLOCKS - 3) * BLOCK;
      boolean zero = random.nextInt(4) == 0;
      for (LocalChain chain : chains) {
        if (zero) {
          chain.layers().zero(offset, content.length, false);
        } else {
          chain.layers().write(offset, ByteBuffer.wrap(content));
        }
      }
    }
  }

  private static byte[] content(LocalChain chain) throws Exception {
    ByteBuffer content = ByteBuffer.allocate(BLOCKS * BLOCK);
    chain.layers().read(0, content);
    return content.array();
  }

  private void copy(LayerInfo layer) throws Exception {
    target.transfer().begin(layer.image(), layer.sizeBytes());
    source
        .transfer()
        .extents(
            layer.image(),
            0,
            layer.sizeBytes(),
            (offset, length, kind) -> {
              try {
                if (kind == ExtentKind.DATA) {
                  ByteBuffer bytes = ByteBuffer.allocate((int) length);
                  source.transfer().read(layer.image(), offset, bytes);
                  target.transfer().write(layer.image(), offset, bytes.flip());
                } else {
                  target.transfer().punch(layer.image(), offset, length);
                }
              } catch (Exception e) {
                throw new AssertionError(e);
              }
              return true;
            });
  }

  private static List<LayerInfo> list(LocalChain chain) throws Exception {
    return chain.transfer().list().stream()
        .map(layer -> new LayerInfo(layer.image(), layer.meta(), layer.sizeBytes(), ""))
        .toList();
  }

  @Test
  void anEmptyReplicaBecomesACopyWhileBothAreWritten() throws Exception {
    scribble(source);
    snapshot(source, "a");
    scribble(source);
    snapshot(source, "b");
    scribble(source);
    snapshot(source, "join");
    snapshot(target, "join");
    target.setRebuilding(true);
    scribble(source, target);
    List<LayerInfo> layers = source.transfer().list();
    copy(layers.get(0));
    target.transfer().complete(layers.get(0).image(), layers.get(0).meta());
    copy(layers.get(1));
    // Interrupted, then resumed.
    target.close();
    target = reopen("target");
    scribble(source, target);
    for (LayerInfo layer : layers.subList(1, layers.size())) {
      copy(layer);
      target.transfer().complete(layer.image(), layer.meta().withName(layer.image()));
    }
    target.setRebuilding(false);
    for (LayerInfo layer : layers) {
      String one = source.transfer().checksum(layer.image(), 0, layer.sizeBytes(), bytes -> {});
      String other = target.transfer().checksum(layer.image(), 0, layer.sizeBytes(), bytes -> {});
      assertThat(other).as(layer.image()).isEqualTo(one);
    }
    assertThat(list(target)).hasSameSizeAs(list(source));
    assertThat(Arrays.equals(content(target), content(source))).isTrue();
    scribble(source, target);
    target.close();
    target = reopen("target");
    assertThat(Arrays.equals(content(target), content(source))).isTrue();
  }

  @Test
  void aLayerWithoutMetadataIsNobodys() throws Exception {
    snapshot(source, "a");
    target.transfer().begin(LonghornLayout.imageOf("a"), BLOCK);
    target.close();
    target = reopen("target");
    assertThat(target.snapshots()).isEmpty();
  }

  @Test
  void theHeadIsNeverReceived() {
    for (String image : List.of(LonghornLayout.FIRST_HEAD, "volume.meta", "../volume-snap-a.img")) {
      assertThatThrownBy(() -> target.transfer().begin(image, BLOCK))
          .satisfies(e -> assertThat(((StorageException) e).code()).isEqualTo(ErrorCode.INVALID));
    }
  }

  @Test
  void aChangedBitChangesTheChecksumAndIsRepaired() throws Exception {
    scribble(source);
    snapshot(source, "join");
    LayerTransfer transfer = source.transfer();
    String before = transfer.checksum(JOIN, 0, Long.MAX_VALUE / 2, bytes -> {});
    transfer.rememberChecksum(JOIN, before);
    assertThat(source.snapshots().get(0).checksum()).isEqualTo(before);
    long[] data = {-1};
    transfer.extents(
        JOIN,
        0,
        (long) BLOCKS * BLOCK,
        (offset, length, kind) -> {
          data[0] = kind == ExtentKind.DATA ? offset : data[0];
          return data[0] < 0;
        });
    ByteBuffer block = ByteBuffer.allocate(BLOCK);
    transfer.read(JOIN, data[0], block);
    byte[] good = block.array().clone();
    block.array()[77] ^= 4;
    transfer.write(JOIN, data[0], block.clear());
    assertThat(transfer.checksum(JOIN, 0, Long.MAX_VALUE / 2, bytes -> {})).isNotEqualTo(before);
    transfer.write(JOIN, data[0], ByteBuffer.wrap(good));
    assertThat(transfer.checksum(JOIN, 0, Long.MAX_VALUE / 2, bytes -> {})).isEqualTo(before);
  }

  @Test
  void zeroesInAnOldestLayerCountAsHolesAndAboveItAsData() throws Exception {
    source.layers().write(0, ByteBuffer.allocate(BLOCK));
    snapshot(source, "join");
    snapshot(target, "join");
    assertThat(source.transfer().checksum(JOIN, 0, BLOCK, bytes -> {}))
        .isEqualTo(target.transfer().checksum(JOIN, 0, BLOCK, bytes -> {}));
    source.layers().write(0, ByteBuffer.allocate(BLOCK));
    snapshot(source, "above");
    snapshot(target, "above");
    String above = LonghornLayout.imageOf("above");
    assertThat(source.transfer().checksum(above, 0, BLOCK, bytes -> {}))
        .isNotEqualTo(target.transfer().checksum(above, 0, BLOCK, bytes -> {}));
  }

  @Test
  void aWitnessIsAFolderOfTheEngineOnly() throws Exception {
    ReplicaLocation witness = new ReplicaLocation("v", "w", "n", disk, "witness", true);
    ReplicaStorage maker = new ReplicaStorage();
    maker.provision(witness, (long) BLOCKS * BLOCK);
    maker.provision(witness, (long) BLOCKS * BLOCK);
    ReplicaDirectory directory = new LocalReplicaDirectory(witness.directory());
    assertThat(directory.files()).isEmpty();
    assertThat(StateFiles.load(directory, StateFiles.IDENTITY, ReplicaIdentity.class)).isPresent();
    assertThat(maker.inspect(witness)).isPresent();
    ReplicaLocation data = new ReplicaLocation("v", "source", "n", disk, "source", true);
    assertThatThrownBy(() -> maker.provision(data, BLOCK)).hasMessageContaining("not a witness");
    maker.delete(witness);
    assertThat(maker.inspect(witness)).isEmpty();
  }
}
