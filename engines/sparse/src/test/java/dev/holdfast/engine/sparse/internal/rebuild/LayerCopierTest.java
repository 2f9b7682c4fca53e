package dev.holdfast.engine.sparse.internal.rebuild;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.google.protobuf.ByteString;
import dev.holdfast.engine.ReplicaLocation;
import dev.holdfast.engine.sparse.internal.chain.LayerSums;
import dev.holdfast.engine.sparse.internal.disk.LocalReplicaDirectory;
import dev.holdfast.engine.sparse.internal.members.Broadcast;
import dev.holdfast.engine.sparse.internal.replica.Member;
import dev.holdfast.engine.sparse.internal.replica.Regions;
import dev.holdfast.engine.sparse.internal.replica.ReplicaHost;
import dev.holdfast.engine.sparse.internal.replica.ReplicaStorage;
import dev.holdfast.engine.sparse.internal.replica.Token;
import dev.holdfast.engine.sparse.internal.volume.LayerAccess;
import dev.holdfast.engine.sparse.rpc.LayerEntry;
import dev.holdfast.engine.sparse.rpc.LayerRequest;
import dev.holdfast.engine.sparse.rpc.LayerRequest.Kind;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Parts of a layer that are copied when the target already has some of it. */
class LayerCopierTest {
  private static final long REGION = LayerSums.REGION;
  private static final long PART = 4L << 20;
  private static final int COUNT = 4;
  private static final int EMPTY = 1;
  private static final int DATA = 64 << 10;
  private static final String IMAGE = "volume-snap-copied.img";
  private static final LayerEntry LAYER =
      LayerEntry.newBuilder().setImage(IMAGE).setSize(COUNT * REGION).build();

  @TempDir private Path disk;
  private final ReplicaHost host = new ReplicaHost(LocalReplicaDirectory::new, "boot");
  private final List<LayerRequest> asked = new ArrayList<>();
  private Kind unknown = Kind.UNRECOGNIZED;
  private Member source;
  private Member target;
  private LayerCopier copier;

  @BeforeEach
  void twoThatAreAlike() throws Exception {
    source = member("source");
    target = member("target");
    for (Member member : List.of(source, target)) {
      member.layer(ask(Kind.BEGIN).setLength(LAYER.getSize()).build());
      for (int region = 0; region < COUNT; region++) {
        for (long at = 0; region != EMPTY && at < REGION; at += PART) {
          write(member, region * REGION + at, DATA, 1);
        }
      }
    }
    copier =
        new LayerCopier(
            new LayerAccess(target),
            () -> List.of(source),
            new Broadcast(Runnable::run),
            new SharedRateLimit(0, () -> false),
            () -> false);
    asked.clear();
  }

  /** Returns a replica of this node whose requests are recorded. */
  private Member member(String name) throws Exception {
    ReplicaLocation location = new ReplicaLocation("v", name, "n", disk, name);
    new ReplicaStorage().provision(location, LAYER.getSize());
    Member replica = host.fence(location, new Token(1, 1), by -> {}).replica();
    return (Member)
        Proxy.newProxyInstance(
            getClass().getClassLoader(),
            new Class<?>[] {Member.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("equals")) {
                return proxy == arguments[0];
              }
              if (method.getName().equals("layer")) {
                LayerRequest request = (LayerRequest) arguments[0];
                asked.add(request);
                if (request.getKind() == unknown) {
                  throw new StorageException(ErrorCode.UNSUPPORTED, "planted: not known");
                }
              }
              try {
                return method.invoke(replica, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private static LayerRequest.Builder ask(Kind kind) {
    return LayerRequest.newBuilder().setKind(kind).setImage(IMAGE);
  }

  private static void write(Member member, long offset, int length, int value) throws Exception {
    byte[] content = new byte[length];
    Arrays.fill(content, (byte) value);
    member.layer(ask(Kind.WRITE).setOffset(offset).setData(ByteString.copyFrom(content)).build());
  }

  private long asked(Kind kind) {
    return asked.stream().filter(request -> request.getKind() == kind).count();
  }

  private void copy(BitSet regions, boolean noted) throws Exception {
    copier.copy(LAYER, regions, true, noted, false);
  }

  private void areAlike(boolean alike) throws Exception {
    String wanted = new LayerAccess(source).checksum(IMAGE, 0, LAYER.getSize());
    assertThat(new LayerAccess(target).checksum(IMAGE, 0, LAYER.getSize()).equals(wanted))
        .isEqualTo(alike);
  }

  @Test
  void equalRegionsWithDataAreComparedOnce() throws Exception {
    copy(Regions.all(LAYER.getSize()), false);
    assertThat(asked(Kind.REGION_SUMS)).isEqualTo(2 * (COUNT - 1));
    assertThat(asked(Kind.CHECKSUM) + asked(Kind.PUNCH)).isZero();
    assertThat(copier.total()).isZero();
    assertThat(copier.done()).isZero();
    areAlike(true);
  }

  @Test
  void onlyThePartThatDiffersTravels() throws Exception {
    write(source, 2 * REGION + PART, 4096, 2);
    copy(Regions.all(LAYER.getSize()), false);
    assertThat(copier.total()).isEqualTo(DATA);
    assertThat(copier.done()).isEqualTo(DATA);
    areAlike(true);
  }

  @Test
  void partsOfMarkedRegionsAreCompared() throws Exception {
    write(source, 2 * REGION + PART, 4096, 2);
    BitSet noted = new BitSet();
    noted.set(2);
    copy(noted, true);
    assertThat(asked(Kind.REGION_SUMS)).isZero();
    assertThat(asked(Kind.CHECKSUM)).isEqualTo(2 * REGION / PART);
    assertThat(copier.done()).isEqualTo(DATA);
    areAlike(true);
  }

  @Test
  void whereAllPartsDifferFewAreCompared() throws Exception {
    for (long at = 0; at < COUNT * REGION; at += PART) {
      if (Regions.of(at) != EMPTY) {
        write(source, at, 4096, 2);
      }
    }
    copy(Regions.all(LAYER.getSize()), true);
    assertThat(asked(Kind.CHECKSUM)).isEqualTo(2 * 4);
    assertThat(copier.done()).isEqualTo((COUNT - 1) * REGION / PART * DATA);
    areAlike(true);
  }

  @Test
  void overwrittenBlocksStayAllocated() throws Exception {
    write(source, 2 * REGION, 4096, 2);
    write(target, 2 * REGION + DATA, DATA, 2);
    asked.clear();
    copy(Regions.all(LAYER.getSize()), true);
    assertThat(asked.stream().filter(request -> request.getKind() == Kind.PUNCH))
        .extracting(LayerRequest::getOffset, LayerRequest::getLength)
        .containsExactly(tuple(2 * REGION + DATA, PART - DATA));
    areAlike(true);
  }

  @Test
  void nodeWithoutChecksumsOfRegionsSendsThoseOfParts() throws Exception {
    unknown = Kind.REGION_SUMS;
    write(source, 2 * REGION + PART, 4096, 2);
    copy(Regions.all(LAYER.getSize()), false);
    assertThat(copier.done()).isEqualTo(DATA);
    areAlike(true);
  }

  @Test
  void otherRegionsAreLeftAsTheyAre() throws Exception {
    write(source, 2 * REGION, 4096, 2);
    BitSet regions = Regions.all(LAYER.getSize());
    regions.clear(2);
    copy(regions, false);
    assertThat(copier.done()).isZero();
    areAlike(false);
  }

  @Test
  void dataThatOnlyTheTargetHasBecomesAHole() throws Exception {
    write(target, EMPTY * REGION + PART, DATA, 2);
    copy(Regions.all(LAYER.getSize()), false);
    assertThat(new LayerAccess(target).data(IMAGE, EMPTY * REGION, REGION)).isZero();
    assertThat(copier.done()).isZero();
    areAlike(true);
  }

  @Test
  void missingDataIsCopiedToTheTarget() throws Exception {
    write(source, EMPTY * REGION + PART, DATA, 2);
    copy(Regions.all(LAYER.getSize()), false);
    assertThat(copier.done()).isEqualTo(DATA);
    areAlike(true);
  }

  @Test
  void plannedBytesAreCountedAlsoWhenTheyArePresentAlready() throws Exception {
    write(source, EMPTY * REGION, DATA, 2);
    write(source, 0, 4096, 2);
    copier.foresee(LAYER);
    copier.copy(LAYER, Regions.all(LAYER.getSize()), true, false, true);
    assertThat(copier.total()).isEqualTo(new LayerAccess(source).data(IMAGE, 0, LAYER.getSize()));
    assertThat(copier.done()).isEqualTo(copier.total());
    areAlike(true);
  }
}
