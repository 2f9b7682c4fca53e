package dev.holdfast.initiator.device.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.InitiatorConnection;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class PresentDeviceTest {
  private static final Path LV = Path.of("/dev/vg/demo");
  private static final URI ENDPOINT = URI.create("device:/dev/vg/demo");

  @TempDir private Path folder;
  private final Host host = new Host();
  private Duration patience = Duration.ofSeconds(10);

  /** Devices that an engine made. */
  private static final class Host implements Devices {
    private final Map<Path, Path> present = new ConcurrentHashMap<>();
    private boolean mounted;
    private volatile long bytes;

    @Override
    public Optional<Path> resolve(Path path) {
      return Optional.ofNullable(present.get(path));
    }

    @Override
    public void requireUnused(Path device) throws StorageException {
      if (mounted) {
        throw new StorageException(
            ErrorCode.BUSY, device + " is mounted on /mnt: unmount it first");
      }
    }

    @Override
    public long bytes(Path device) {
      return bytes;
    }
  }

  private PresentDevice initiator() {
    return new PresentDevice(new HostState(folder), host, patience);
  }

  private static void assertFails(Call call, ErrorCode code, String words) {
    assertThatThrownBy(call::run)
        .hasMessageContaining(words)
        .isInstanceOfSatisfying(StorageException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private interface Call {
    void run() throws Exception;
  }

  @Test
  void deviceIsFoundByItsPathAlsoWithAnotherNumber() throws Exception {
    host.present.put(LV, Path.of("/dev/dm-1"));
    InitiatorConnection connection = initiator().connect("demo", ENDPOINT);
    assertThat(connection.device()).isEqualTo("/dev/dm-1");
    assertThat(connection.alive()).isTrue();
    host.present.put(LV, Path.of("/dev/dm-7"));
    host.mounted = true;
    assertThat(initiator().connect("demo", ENDPOINT).device()).isEqualTo("/dev/dm-7");
    host.present.clear();
    assertThat(initiator().find("demo").orElseThrow().alive()).isFalse();
    assertThat(initiator().connections()).hasSize(1);
  }

  @Test
  void disconnectingLeavesTheDeviceAndForgetsTheConnection() throws Exception {
    host.present.put(LV, Path.of("/dev/dm-1"));
    initiator().connect("demo", ENDPOINT);
    host.mounted = true;
    assertFails(() -> initiator().disconnect("demo"), ErrorCode.BUSY, "unmount it first");
    host.mounted = false;
    initiator().disconnect("demo");
    initiator().disconnect("demo");
    assertThat(host.present).containsKey(LV);
    assertThat(initiator().find("demo")).isEmpty();
  }

  @Test
  void deviceThatIsInUseByAnotherProgramIsRefused() {
    host.present.put(LV, Path.of("/dev/dm-1"));
    host.mounted = true;
    assertFails(() -> initiator().connect("demo", ENDPOINT), ErrorCode.BUSY, "is mounted on /mnt");
  }

  @Test
  void anotherEndpointIsRefusedWhileItIsConnected() throws Exception {
    host.present.put(LV, Path.of("/dev/dm-1"));
    initiator().connect("demo", ENDPOINT);
    assertFails(
        () -> initiator().connect("demo", URI.create("device:/dev/vg/other")),
        ErrorCode.BUSY,
        "volume demo is connected to device:/dev/vg/demo already");
  }

  @Test
  void volumeOfAnotherInitiatorIsRefused() throws Exception {
    new HostState(folder)
        .write(
            "demo",
            "{\"volume\":\"demo\",\"initiator\":\"nbd-kernel\",\"endpoint\":\"nbd://h/demo\","
                + "\"pid\":0,\"device\":\"/dev/nbd0\"}");
    host.present.put(LV, Path.of("/dev/dm-1"));
    assertFails(() -> initiator().connect("demo", ENDPOINT), ErrorCode.BUSY, "nbd://h/demo");
    initiator().disconnect("demo");
    assertThat(new HostState(folder).volumes()).containsExactly("demo");
  }

  @Test
  void deviceThatIsMissingIsUnreachable() {
    patience = Duration.ZERO;
    assertFails(
        () -> initiator().connect("demo", ENDPOINT),
        ErrorCode.UNREACHABLE,
        "volume demo: /dev/vg/demo is not a block device of this host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"device:/etc/passwd", "device:/dev", "device:/dev/../etc/x", "device:vg"})
  void onlyDevicesAreEndpoints(String endpoint) {
    assertFails(
        () -> initiator().connect("demo", URI.create(endpoint)),
        ErrorCode.INVALID,
        "endpoint: must be a device of this host");
  }

  @Test
  void growingWaitsForTheDevice() throws Exception {
    host.present.put(LV, Path.of("/dev/dm-1"));
    host.bytes = 1 << 20;
    PresentDevice initiator = initiator();
    initiator.connect("demo", initiator.growable(ENDPOINT, 1 << 20));
    Thread engine = new Thread(() -> host.bytes = 2 << 20);
    engine.start();
    initiator.grow("demo", 2 << 20);
    engine.join();
    assertFails(() -> initiator.grow("other", 1), ErrorCode.NOT_FOUND, "is not connected");
  }

  @Test
  void fileOfAnotherKindIsNotADevice() throws Exception {
    assertThat(SysfsDevices.INSTANCE.resolve(Path.of("/dev/null"))).isEmpty();
    assertThat(SysfsDevices.INSTANCE.resolve(Path.of("/dev/holdfast-none"))).isEmpty();
  }
}
