package dev.holdfast.engine.lvm.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.DiskKind;
import dev.holdfast.engine.DiskLocation;
import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.BlobCall;
import dev.holdfast.engine.lvm.blobs.BlobOptions;
import dev.holdfast.engine.lvm.blobs.GroupReports;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.lvm.testkit.MemoryRecords;
import dev.holdfast.lvm.testkit.SimulatedGroup;
import dev.holdfast.lvm.testkit.SimulatedLvm;
import dev.holdfast.rpc.NodeChannels;
import io.grpc.Channel;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An engine on a node that lacks a requirement of shared groups. */
class SharedServicesTest {
  private static final DiskLocation DISK =
      new DiskLocation("node-1", "", DiskKind.VOLUME_GROUP, Path.of("/dev", SimulatedLvm.GROUP));

  @TempDir private Path folder;
  private SharedServices services;
  private LvmEngine engine;

  private void start(String lockType) {
    SimulatedLvm host = new SimulatedLvm(new SimulatedGroup(4096, lockType), "node-1");
    services = NoSharing.of(host, folder);
    engine =
        new LvmEngine(
            new LvmContext(
                new GroupReports(host, System::nanoTime, Duration.ZERO),
                new MemoryRecords(),
                folder,
                (path, mode) -> new SimulatedRaw(host.open(path), mode),
                services),
            Duration.ofHours(1));
  }

  @AfterEach
  void stop() {
    engine.deactivate();
    services.stop();
  }

  /** Channels that reach no node. */
  private static final class Unconnected implements NodeChannels {
    @Override
    public Channel channel(String node) {
      throw new UnsupportedOperationException();
    }

    @Override
    public InetSocketAddress address(String node) {
      throw new UnsupportedOperationException();
    }

    @Override
    public SSLContext sslContext(String node) {
      throw new UnsupportedOperationException();
    }
  }

  private void assertLacks(String what) {
    assertThatThrownBy(() -> engine.inspectDisk(DISK))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.UNREACHABLE))
        .hasMessageContaining("volume group vg0 is shared")
        .hasMessageContaining(what);
  }

  @Test
  void sharedGroupReportsWhichServiceIsMissing() throws Exception {
    start("sanlock");
    assertLacks("calls to other nodes");
    NodeChannels channels = new Unconnected();
    services.bindChannels(channels);
    assertLacks("the portal");
    services.unbindChannels(new Unconnected());
    assertLacks("the portal");
    services.unbindChannels(channels);
    assertLacks("calls to other nodes");
  }

  @Test
  void groupOfOneNodeNeedsNoOtherService() throws Exception {
    start("none");
    assertThat(engine.inspectDisk(DISK)).isEmpty();
    assertThat(engine.prepareDisk(DISK).shared()).isFalse();
    assertThat(engine.inspectDisk(DISK)).isPresent();
  }

  @Test
  void callAboutAGroupOfOneNodeIsRefused() {
    start("none");
    PoolService service = new PoolService(engine, services);
    BlobCall call =
        new BlobCall(
            BlobCall.Kind.DELETE,
            new Blob(SimulatedLvm.GROUP, "a"),
            BlobOptions.THIN,
            0,
            Optional.empty(),
            "");
    assertThatThrownBy(() -> service.perform(call))
        .hasMessageContaining("volume group vg0 is not shared on node node-1");
    assertThatThrownBy(() -> service.advance(SimulatedLvm.GROUP, "a"))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
