package dev.holdfast.share.nfs.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostCondition;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.processes.ProcessIdentity;
import dev.holdfast.share.ShareAddress;
import dev.holdfast.share.ShareRequest;
import dev.holdfast.share.nfs.internal.ganesha.ServerLease;
import dev.holdfast.share.nfs.internal.ganesha.ShareFolder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real servers whose container has ended, or no longer extends their time limit. */
@Tag("slow")
class OrphanedServerTest {
  private static final String IP = "198.51.100.77";
  private static final Optional<Duration> BRIEF = Optional.of(Duration.ofSeconds(2));

  @TempDir Path folder;
  private LoopDevice device;
  private LoopDevice other;
  private ShareFixture node;
  private ShareRequest request;

  @BeforeEach
  void startNode() throws Exception {
    device = new LoopDevice(folder.resolve("volume.img"), ShareFixture.SIZE);
    other = new LoopDevice(folder.resolve("other.img"), ShareFixture.SIZE);
    node = new ShareFixture(folder.resolve("data"));
    request = ShareFixture.request("v1", device).withAddress(new ShareAddress(IP, 32, "lo"));
  }

  @AfterEach
  void stopNode() throws Exception {
    node.replace(); // a failed test may have closed it
    node.close();
    other.close();
    device.close();
  }

  private ProcessIdentity process(String volume) throws Exception {
    return new ShareRecords(folder.resolve("data/share-nfs/records"))
        .find(volume)
        .flatMap(ShareRecord::process)
        .orElseThrow();
  }

  private static boolean hasAddress() throws Exception {
    return HostProgram.check(
            ShareFixture.LIMIT, List.of("ip", "-o", "address", "show", "dev", "lo"))
        .contains(IP);
  }

  private static void awaitEnd(ProcessIdentity process) throws Exception {
    assertThat(HostCondition.holds(ShareFixture.LIMIT, () -> !process.isAlive())).isTrue();
  }

  private ServerLease lease(String volume) {
    return new ServerLease(
        ShareFolder.of(
            folder.resolve("data/share-nfs/shares"),
            Path.of("/run/holdfast/share-nfs-test"),
            volume));
  }

  @Test
  void serverOfADeadContainerEndsAndGivesItsAddressUp() throws Exception {
    assertThat(node.start(request).serves()).isTrue();
    ProcessIdentity server = process("v1");
    assertThat(hasAddress()).isTrue();
    node.server().prolong(BRIEF);
    node.server().close();
    awaitEnd(server);
    assertThat(hasAddress()).isFalse();

    node.reopen();
    assertThat(node.start(request).serves()).isTrue();
    assertThat(process("v1")).isNotEqualTo(server);
    assertThat(hasAddress()).isTrue();
  }

  @Test
  void serverWithoutALimitOutlivesTheOther() throws Exception {
    ShareRequest unlimited = ShareFixture.request("v2", other);
    node.start(request);
    node.start(unlimited);
    ProcessIdentity kept = process("v2");
    node.server().prolong(BRIEF);
    node.server().close();
    lease("v2").prolong(Optional.empty());
    awaitEnd(process("v1"));
    assertThat(kept.isAlive()).isTrue();

    node.reopen();
    assertThat(node.start(unlimited).serves()).isTrue();
    assertThat(process("v2")).isEqualTo(kept);
  }

  @Test
  void serverThatIsStoppedHasNoLease() throws Exception {
    node.start(request);
    node.close();
    node.reopen();
    node.server().prolong(BRIEF);
    assertThat(ShareLeftovers.of(folder.resolve("data"))).isEmpty();
  }
}
