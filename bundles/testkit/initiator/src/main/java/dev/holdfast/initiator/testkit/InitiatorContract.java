package dev.holdfast.initiator.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.initiator.BlockDevices;
import dev.holdfast.initiator.HostProgram;
import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.InitiatorConnection;
import dev.holdfast.rule.testkit.NamedRules;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * Conformance tests of initiators. A test class extends it and provides a fixture. The tests run
 * where the initiator works, which may be in a virtual machine.
 */
@ExtendWith(NamedRules.class)
public abstract class InitiatorContract {
  private static final String VOLUME = "contract";
  private static final int MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(5);

  @TempDir Path folder;
  private InitiatorFixture fixture;
  private HostState state;
  private Initiator initiator;

  /** Called by JUnit. */
  protected InitiatorContract() {}

  /**
   * Returns a fixture for one test; it is closed after the test.
   *
   * @throws Exception when the fixture cannot be created
   */
  protected abstract InitiatorFixture fixture() throws Exception;

  @BeforeEach
  final void open() throws Exception {
    fixture = fixture();
    state = new HostState(folder.resolve("initiators"));
    initiator = fixture.initiator(state);
    assertThat(initiator.obstacle()).as("what this host lacks").isEmpty();
  }

  @AfterEach
  final void leaveTheHostAsItWas() throws Exception {
    if (fixture != null) {
      later().disconnect(VOLUME);
      fixture.close();
    }
  }

  /** Returns an initiator of another process, or after a restart. */
  private Initiator later() {
    return fixture.initiator(new HostState(state.directory()));
  }

  private InitiatorConnection connect() throws StorageException {
    return initiator.connect(VOLUME, fixture.endpoint());
  }

  @Test
  final void understandsItsOwnEndpointsOnly() {
    assertThat(initiator.understands(fixture.endpoint())).isTrue();
    assertThat(initiator.understands(URI.create("file:///dev/sda"))).isFalse();
  }

  @Test
  final void deviceHasTheVolumesSize() throws Exception {
    InitiatorConnection connection = connect();
    assertThat(connection.alive()).isTrue();
    assertThat(BlockDevices.attribute(BlockDevices.name(connection.device()), "size"))
        .contains(Long.toString(fixture.bytes() / 512));
  }

  @Test
  final void bytesAreTheVolumesAndNotTheDevices() throws Exception {
    byte[] bytes = new byte[MIB];
    new Random(7).nextBytes(bytes);
    write(connect().device(), 5L * MIB, bytes);
    initiator.disconnect(VOLUME);

    assertThat(read(connect().device(), 5L * MIB, MIB)).isEqualTo(bytes);
  }

  @Test
  final void connectingTwiceGivesTheSameDevice() throws Exception {
    assertThat(connect()).isEqualTo(connect());
  }

  @Test
  final void connectionIsFoundAgainByALaterInitiator() throws Exception {
    InitiatorConnection connection = connect();

    assertThat(later().find(VOLUME)).contains(connection);
    assertThat(later().connections()).containsExactly(connection);
    assertThat(later().connect(VOLUME, fixture.endpoint())).isEqualTo(connection);
  }

  @Test
  final void disconnectingLeavesNothing() throws Exception {
    connect();
    initiator.disconnect(VOLUME);
    assertNothingIsLeft();
  }

  @Test
  final void disconnectingSucceedsWhenNotConnected() throws Exception {
    initiator.disconnect(VOLUME);
    assertThat(initiator.find(VOLUME)).isEmpty();
    assertNothingIsLeft();
  }

  @Test
  final void disconnectingRefusesWhileMounted() throws Exception {
    InitiatorConnection connection = connect();
    Path directory = Files.createDirectory(folder.resolve("mnt"));
    run("mkfs.ext4", "-q", connection.device());
    run("mount", connection.device(), directory.toString());
    try {
      assertFails(ErrorCode.BUSY, () -> initiator.disconnect(VOLUME));
      assertThat(initiator.find(VOLUME)).contains(connection);
      Files.writeString(directory.resolve("file"), "it still works");
    } finally {
      run("umount", directory.toString());
    }
  }

  @Test
  final void connectingToNothingIsUnreachableAndLeavesNothing() throws Exception {
    assertFails(ErrorCode.UNREACHABLE, () -> initiator.connect(VOLUME, fixture.silent()));
    assertNothingIsLeft();
  }

  @Test
  final void connectingElsewhereIsRefused() throws Exception {
    InitiatorConnection connection = connect();
    assertFails(ErrorCode.BUSY, () -> initiator.connect(VOLUME, fixture.silent()));
    assertThat(initiator.find(VOLUME)).contains(connection);
  }

  @Test
  final void connectionOfAnotherInitiatorIsLeftAlone() throws Exception {
    state.locked(
        VOLUME,
        () -> {
          state.write(VOLUME, record("another", "/dev/null"));
          return VOLUME;
        });

    assertFails(ErrorCode.BUSY, this::connect);
    initiator.disconnect(VOLUME);
    assertThat(initiator.find(VOLUME)).isEmpty();
    assertThat(state.read(VOLUME)).contains(record("another", "/dev/null"));
    state.delete(VOLUME);
  }

  @Test
  final void aCrashBetweenDeviceAndRecordIsRepaired() throws Exception {
    connect();
    state.write(VOLUME, record(initiator.name(), ""));
    assertThat(later().find(VOLUME).orElseThrow().alive()).isFalse();

    assertThat(later().connect(VOLUME, fixture.endpoint()).alive()).isTrue();
    later().disconnect(VOLUME);
    assertNothingIsLeft();
  }

  @Test
  final void aCrashBetweenDeviceAndRecordIsCleanedUp() throws Exception {
    connect();
    state.write(VOLUME, record(initiator.name(), ""));
    later().disconnect(VOLUME);
    assertNothingIsLeft();
  }

  @Test
  final void aCrashBeforeAnythingWasMadeIsCleanedUp() throws Exception {
    state.write(VOLUME, record(initiator.name(), ""));
    assertThat(later().find(VOLUME).orElseThrow().alive()).isFalse();
    later().disconnect(VOLUME);
    assertNothingIsLeft();
  }

  private String record(String name, String device) {
    return "{\"volume\":\"%s\",\"initiator\":\"%s\",\"endpoint\":\"%s\",\"pid\":0,\"device\":\"%s\"}"
        .formatted(VOLUME, name, fixture.endpoint(), device);
  }

  private void assertNothingIsLeft() throws Exception {
    assertThat(state.volumes()).isEmpty();
    fixture.assertNothingIsLeft();
  }

  private static void assertFails(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            StorageException.class, failure -> assertThat(failure.code()).isEqualTo(code));
  }

  private static void run(String... command) throws StorageException {
    HostProgram.check(PATIENCE, List.of(command));
  }

  private static void write(String device, long offset, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(Path.of(device), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), offset);
      channel.force(false);
    }
  }

  private static byte[] read(String device, long offset, int length) throws IOException {
    ByteBuffer buffer = ByteBuffer.allocate(length);
    try (FileChannel channel = FileChannel.open(Path.of(device))) {
      int more;
      do {
        more = channel.read(buffer, offset + buffer.position());
      } while (more > 0);
    }
    return buffer.array();
  }
}
