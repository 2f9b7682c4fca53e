package dev.holdfast.engine.sparse.internal.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.replica.CalledLayerBytes;
import dev.holdfast.engine.sparse.internal.replica.LayerBytes;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Data that a rebuild copies to and from replicas on another node, over a separate connection. */
@Timeout(60)
class LayerBytesTest {
  private static final long SIZE = 8 << 20;
  private static final int PIECE = 1 << 20;
  private static final String IMAGE = "volume-snap-copied.img";
  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  @TempDir Path folder;

  private static ReplicaSessionLink connect(
      TwoNodes nodes, ReplicaLocation replica, long generation) throws StorageException {
    return nodes.links.connect(replica, new Token(generation, 1), TIMEOUT, cause -> {});
  }

  private static LayerRequest.Builder ask(Kind kind) {
    return LayerRequest.newBuilder().setKind(kind).setImage(IMAGE);
  }

  private static ByteBuffer bytes(long seed) {
    byte[] content = new byte[PIECE];
    new Random(seed).nextBytes(content);
    return ByteBuffer.allocateDirect(PIECE).put(content).flip();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsCopiedArrives(boolean tls) throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, tls)) {
      ReplicaLocation replica = nodes.replica("r-1", SIZE);
      ReplicaSessionLink link = connect(nodes, replica, 1);
      link.layer(ask(Kind.BEGIN).setLength(SIZE).build());
      try (LayerBytes written = link.layerBytes(IMAGE).orElseThrow();
          LayerBytes read = link.layerBytes(IMAGE).orElseThrow()) {
        for (int at = 0; at < SIZE; at += PIECE) {
          written.write(at, bytes(at));
        }
        for (int at = 0; at < SIZE; at += PIECE) {
          ByteBuffer found = ByteBuffer.allocateDirect(PIECE);
          read.read(at, found);
          assertThat(found.flip()).isEqualTo(bytes(at));
        }
      }
      assertThat(Files.size(replica.directory().resolve(IMAGE))).isEqualTo(SIZE);
      link.close();
    }
  }

  @Test
  void aLayerThatIsNotThereIsNotOffered() throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, true)) {
      ReplicaSessionLink link = connect(nodes, nodes.replica("r-1", SIZE), 1);
      assertThatThrownBy(() -> link.layerBytes(IMAGE)).isInstanceOf(StorageException.class);
      assertThatThrownBy(() -> link.layerBytes("volume-head-000.img"))
          .isInstanceOfSatisfying(
              StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
      link.close();
    }
  }

  @Test
  void noByteIsWrittenAfterALaterEngineTookOver() throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, true)) {
      ReplicaLocation replica = nodes.replica("r-1", SIZE);
      ReplicaSessionLink link = connect(nodes, replica, 1);
      link.layer(ask(Kind.BEGIN).setLength(SIZE).build());
      LayerBytes written = link.layerBytes(IMAGE).orElseThrow();
      written.write(0, bytes(1));
      ReplicaSessionLink later = connect(nodes, replica, 2);
      assertThatThrownBy(() -> written.write(0, bytes(2))).isInstanceOf(StorageException.class);
      ByteBuffer found = ByteBuffer.allocateDirect(PIECE);
      try (LayerBytes read = later.layerBytes(IMAGE).orElseThrow()) {
        read.read(0, found);
      }
      assertThat(found.flip()).isEqualTo(bytes(1));
      written.close();
      later.close();
      link.close();
    }
  }

  @Test
  void aClosedLinkEndsThem() throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, true)) {
      ReplicaSessionLink link = connect(nodes, nodes.replica("r-1", SIZE), 1);
      link.layer(ask(Kind.BEGIN).setLength(SIZE).build());
      LayerBytes written = link.layerBytes(IMAGE).orElseThrow();
      link.close();
      assertThatThrownBy(() -> written.write(0, bytes(1))).isInstanceOf(StorageException.class);
      written.close();
    }
  }

  /** Layer bytes whose connection breaks during the second request. */
  private static final class Breaking implements LayerBytes {
    private final List<Long> done = new ArrayList<>();

    private void move(long offset, ByteBuffer buffer) throws StorageException {
      buffer.get();
      if (!done.isEmpty()) {
        throw new StorageException(ErrorCode.UNREACHABLE, "broken");
      }
      buffer.position(buffer.limit());
      done.add(offset);
    }

    @Override
    public void read(long offset, ByteBuffer target) throws StorageException {
      move(offset, target);
    }

    @Override
    public void write(long offset, ByteBuffer source) throws StorageException {
      move(offset, source);
    }

    @Override
    public void close() {
      // Holds no resources.
    }
  }

  @Test
  void bytesThatALostConnectionDidNotCarryAreSentByCalls() throws Exception {
    try (TwoNodes nodes = new TwoNodes(folder, true)) {
      ReplicaSessionLink link = connect(nodes, nodes.replica("r-1", SIZE), 1);
      link.layer(ask(Kind.BEGIN).setLength(SIZE).build());
      Breaking breaking = new Breaking();
      List<StorageException> givenUp = new ArrayList<>();
      CalledLayerBytes called = new CalledLayerBytes(link::layer, IMAGE);
      try (RemoteLayerBytes bytes =
          new RemoteLayerBytes(
              "a layer",
              called,
              () -> Optional.of(new RemoteLayerBytes.Connected(breaking, givenUp::add)))) {
        bytes.write(0, bytes(1));
        bytes.write(PIECE, bytes(2));
        ByteBuffer found = ByteBuffer.allocateDirect(PIECE);
        bytes.read(PIECE, found);
        assertThat(found.flip()).isEqualTo(bytes(2));
      }
      assertThat(breaking.done).containsExactly(0L);
      assertThat(givenUp).hasSize(1);
      link.close();
    }
  }
}
