package dev.holdfast.engine.sparse.internal.replica;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.ChainOperation;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaDirectory;
import dev.holdfast.engine.sparse.internal.disk.ReplicaFile;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * State that one session of a replica leaves for the next: the index of the data, and the server.
 */
class InheritedIndexTest {
  private static final long SIZE = 64L << 20;
  private static final int BLOCK = 4096;

  @TempDir private Path disk;
  private ReplicaLocation location;

  @BeforeEach
  void provision() throws Exception {
    location = new ReplicaLocation("v", "v-r-1", "n", disk, "v-1");
    new ReplicaStorage().provision(location, SIZE);
  }

  private static ReplicaHost host() {
    return new ReplicaHost(LocalReplicaDirectory::new, "this boot");
  }

  /** A host whose files never report their extents. */
  private static ReplicaHost blindHost() {
    return new ReplicaHost(path -> blind(new LocalReplicaDirectory(path)), "this boot");
  }

  private static ReplicaDirectory blind(ReplicaDirectory directory) {
    return wrapped(
        ReplicaDirectory.class,
        directory,
        (name, result) -> name.equals("open") ? blind((ReplicaFile) result) : result);
  }

  private static ReplicaFile blind(ReplicaFile file) {
    return wrapped(
        ReplicaFile.class,
        file,
        (name, result) -> {
          if (name.equals("nextData") || name.equals("nextHole")) {
            throw new IOException("unexpected search for data");
          }
          return result;
        });
  }

  private interface Change {
    Object of(String method, Object result) throws IOException;
  }

  private static <T> T wrapped(Class<T> type, T inner, Change change) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) -> {
              try {
                return change.of(method.getName(), method.invoke(inner, arguments));
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            }));
  }

  private ReplicaSession fence(
      ReplicaHost host, long generation, long session, InheritedIndex... left)
      throws StorageException {
    Token token = new Token(generation, session);
    return host.fence(
        location, token, by -> {}, Optional.ofNullable(left.length == 0 ? null : left[0]));
  }

  private static void write(LocalReplica replica, int block, int value) throws Exception {
    BitSet region = new BitSet();
    region.set(0);
    replica.mark(region);
    replica.write((long) block * BLOCK, content(value));
  }

  private static ByteBuffer content(int value) {
    ByteBuffer buffer = ByteBuffer.allocateDirect(BLOCK);
    while (buffer.hasRemaining()) {
      buffer.put((byte) value);
    }
    return buffer.flip();
  }

  private static void holds(LocalReplica replica, int block, int value) throws Exception {
    ByteBuffer found = ByteBuffer.allocateDirect(BLOCK);
    replica.read((long) block * BLOCK, found);
    assertThat(found.flip()).isEqualTo(content(value));
  }

  private InheritedIndex writtenAndLeft(ReplicaHost host) throws Exception {
    ReplicaSession session = fence(host, 1, 1);
    LocalReplica replica = session.replica();
    write(replica, 1, 1);
    write(replica, 2, 1);
    for (int layer = 1; layer <= 3; layer++) {
      replica
          .chain()
          .perform(
              new ChainOperation(
                  "id-" + layer, ChainOperation.Kind.SNAPSHOT, "s" + layer, true, "", Map.of(), 0));
      write(replica, 2, 10 + layer);
    }
    InheritedIndex left = replica.heritage(session.token()).orElseThrow();
    session.close();
    return left;
  }

  private void holdsAll(LocalReplica replica) throws Exception {
    holds(replica, 1, 1);
    holds(replica, 2, 13);
    holds(replica, 3, 0);
  }

  @Test
  void theNextSessionNeedNotLookForTheData() throws Exception {
    InheritedIndex left = writtenAndLeft(host());
    assertThatThrownBy(() -> fence(blindHost(), 1, 2)).isInstanceOf(StorageException.class);
    ReplicaSession next = fence(blindHost(), 1, 3, left);
    holdsAll(next.replica());
    write(next.replica(), 3, 7);
    holds(next.replica(), 3, 7);
    next.close();
  }

  @Test
  void aLinkThatIsMadeAgainDoesNotLookForTheData() throws Exception {
    ReplicaHost host = blindHost();
    InheritedIndex left = writtenAndLeft(host());
    var unused = fence(host, 1, 2, left);
    ReplicaSession again = fence(host, 1, 3);
    holdsAll(again.replica());
    again.close();
  }

  @Test
  void changesOfAnotherGenerationAreScanned() throws Exception {
    InheritedIndex left = writtenAndLeft(host());
    ReplicaSession other = fence(host(), 2, 1);
    write(other.replica(), 2, 99);
    other.close();
    assertThatThrownBy(() -> fence(blindHost(), 2, 2, left)).isInstanceOf(StorageException.class);
    ReplicaSession next = fence(host(), 2, 3, left);
    holds(next.replica(), 2, 99);
    next.close();
  }

  @Test
  void nextHolderAfterACleanReleaseHasTheSameIncarnation() throws Exception {
    ReplicaSession first = fence(host(), 1, 1);
    String incarnation = first.replica().fenced().incarnation();
    first.leave();
    ReplicaSession second = fence(host(), 1, 2);
    assertThat(second.replica().fenced().incarnation()).isEqualTo(incarnation);
    second.close();
    ReplicaSession third = fence(host(), 1, 3);
    assertThat(third.replica().fenced().incarnation()).isNotEqualTo(incarnation);
    third.leave();
    ReplicaSession booted =
        fence(new ReplicaHost(LocalReplicaDirectory::new, "another boot"), 1, 4);
    assertThat(booted.replica().fenced().incarnation())
        .isNotEqualTo(third.replica().fenced().incarnation());
    booted.close();
  }
}
