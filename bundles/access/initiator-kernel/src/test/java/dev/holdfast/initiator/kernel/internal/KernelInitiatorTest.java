package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Records and their removal; the tests in the VM have a real kernel. */
final class KernelInitiatorTest {
  @TempDir Path folder;
  private ServerSocket listener;
  private HostState state;
  private FakeSessions sessions;
  private KernelInitiator initiator;

  private static final class FakeSessions implements Sessions {
    private Optional<String> obstacle = Optional.empty();
    private boolean open;
    private int failing;
    private int lostDevices;
    private final List<Optional<InitiatorCredential>> shown = new ArrayList<>();

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public String scheme() {
      return "fake";
    }

    @Override
    public Target target(URI endpoint) throws StorageException {
      return Target.of(endpoint, 1, 1);
    }

    @Override
    public Optional<String> obstacle() {
      return obstacle;
    }

    @Override
    public Optional<String> provableName(Target target) {
      return Optional.of("iqn.2026-01.test:kernel");
    }

    @Override
    public void open(Target target, Optional<InitiatorCredential> credential)
        throws StorageException {
      open = true;
      shown.add(credential);
      if (failing-- > 0) {
        throw new StorageException(ErrorCode.FORBIDDEN, "wrong secret");
      }
    }

    @Override
    public boolean isOpen(Target target) {
      return open;
    }

    @Override
    public Optional<String> device(Target target) throws StorageException {
      if (open && lostDevices-- > 0) {
        throw new StorageException(ErrorCode.INTERNAL, "the device is lost");
      }
      return Optional.empty();
    }

    @Override
    public void close(Target target) {
      open = false;
    }

    @Override
    public void rescan(Target target) {}
  }

  @BeforeEach
  void open() throws Exception {
    listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    state = new HostState(folder);
    sessions = new FakeSessions();
    initiator = new KernelInitiator(sessions, state);
  }

  @AfterEach
  void close() throws Exception {
    listener.close();
  }

  private URI endpoint() {
    return URI.create("fake://127.0.0.1:" + listener.getLocalPort() + "/target");
  }

  private void assertConnectFails(ErrorCode code, String words) {
    assertThatThrownBy(() -> initiator.connect("demo", endpoint()))
        .hasMessageContaining(words)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  void missingRequirementOfTheHostIsReported() throws Exception {
    sessions.obstacle = Optional.of("iscsiadm is not installed: apt-get install open-iscsi");
    assertConnectFails(ErrorCode.UNSUPPORTED, "apt-get install open-iscsi");
    assertThat(state.volumes()).isEmpty();
  }

  @Test
  void foreignSessionIsNotEnded() throws Exception {
    sessions.open = true;
    assertConnectFails(ErrorCode.BUSY, "that Holdfast did not make");
    initiator.disconnect("demo");
    assertThat(sessions.open).isTrue();
    assertThat(state.volumes()).isEmpty();
  }

  @Test
  void failedLoginLeavesNeitherSessionNorRecord() throws Exception {
    sessions.failing = 1;
    assertConnectFails(ErrorCode.FORBIDDEN, "wrong secret");
    assertThat(sessions.open).isFalse();
    assertThat(state.volumes()).isEmpty();
  }

  /** Makes the directory above the records that of a node. */
  private InitiatorFolder node() throws Exception {
    Path data = folder.resolve("data");
    Path tls = Files.createDirectories(data.resolve("tls"));
    Files.createFile(tls.resolve("server.key"));
    state = new HostState(data.resolve("initiators"));
    initiator = new KernelInitiator(sessions, state);
    return InitiatorFolder.ofNode(data).orElseThrow();
  }

  private URI ours() {
    return URI.create(endpoint().toString().replace("/target", "/iqn.2026-01.dev.holdfast:demo"));
  }

  @Test
  void nodeShowsASecretOfTheVolumeWhichEndsWithTheConnection() throws Exception {
    InitiatorFolder secrets = node();
    sessions.failing = 1; // The serving node has not seen the ticket at the first attempt.
    sessions.lostDevices = 1;
    assertThatThrownBy(() -> initiator.connect("demo", ours())).hasMessage("the device is lost");
    assertThat(sessions.shown).hasSize(2).allMatch(Optional::isPresent);
    assertThat(sessions.shown.get(0)).isEqualTo(sessions.shown.get(1));
    assertThat(sessions.shown.get(0).orElseThrow().initiator())
        .isEqualTo("iqn.2026-01.test:kernel");
    assertThat(secrets.volumes()).isEmpty();
  }

  @Test
  void targetsOfOtherServersGetNoSecret() throws Exception {
    InitiatorFolder secrets = node();
    sessions.failing = 1;
    assertConnectFails(ErrorCode.FORBIDDEN, "wrong secret");
    assertThat(sessions.shown).containsExactly(Optional.empty());
    assertThat(secrets.volumes()).isEmpty();
  }

  @Test
  void claimOfACrashEndsTheSessionThatItMade() throws Exception {
    state.write(
        "demo",
        "{\"volume\":\"demo\",\"initiator\":\"fake\",\"endpoint\":\"%s\",\"pid\":0,\"device\":\"\"}"
            .formatted(endpoint()));
    sessions.open = true;
    initiator.disconnect("demo");
    assertThat(sessions.open).isFalse();
    assertThat(state.volumes()).isEmpty();
  }

  private void recorded(String volume, String by, String device) throws StorageException {
    state.write(
        volume,
        "{\"volume\":\"%s\",\"initiator\":\"%s\",\"endpoint\":\"%s\",\"pid\":0,\"device\":\"%s\"}"
            .formatted(volume, by, endpoint(), device));
  }

  @Test
  void sweepRemovesPartlyMadeConnectionsAfterACrash() throws Exception {
    recorded("demo", "fake", "");
    sessions.open = true;
    assertThat(initiator.sweep()).isEmpty();
    assertThat(sessions.open).isFalse();
    assertThat(state.volumes()).isEmpty();
  }

  @Test
  void sweepKeepsConnectedVolumesAndForeignDevices() throws Exception {
    recorded("connected", "fake", "/dev/fake");
    recorded("others", "another", "");
    sessions.open = true;
    assertThat(initiator.sweep()).isEmpty();
    assertThat(sessions.open).isTrue();
    assertThat(state.volumes()).containsExactly("connected", "others");
  }

  @Test
  void sweepReportsFailuresAndContinues() throws Exception {
    recorded("a", "fake", "");
    recorded("b", "fake", "");
    state.write("a", state.read("a").orElseThrow().replace("fake://", "other://"));
    assertThat(initiator.sweep()).containsOnlyKeys("a");
    assertThat(state.volumes()).containsExactly("a");
  }

  @Test
  void growOfAnUnconnectedVolumeIsNotFound() {
    assertThatThrownBy(() -> initiator.grow("demo", 1))
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NOT_FOUND));
  }
}
