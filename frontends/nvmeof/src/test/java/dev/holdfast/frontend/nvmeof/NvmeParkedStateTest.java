package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ExportState;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/**
 * A session that is parked at any byte resumes elsewhere without a visible difference for the host.
 */
final class NvmeParkedStateTest {
  private static final int SIZE = 64 << 10;
  private static final int BLOCK = 512;

  private final MemoryBlockDevice device = new MemoryBlockDevice(SIZE);
  private final ExportState texts = ScriptedNvmeConnection.newState();

  @Test
  void adminQueueResumesAtAnyByte() throws Exception {
    byte[] stream =
        Streams.concat(
            List.of(
                Streams.intoAdmin(Streams.SUBSYSTEM),
                Streams.capsule(NvmeTestBase.feature(true, 0x0b, 0x100), 3, new byte[0]),
                Streams.capsule(NvmeTestBase.feature(true, 7, 3 | 3 << 16), 4, new byte[0]),
                Streams.bare(new Entry(0x0c).descriptor(0x5a, 0), 5),
                Streams.bare(NvmeTestBase.identify(1, 0).descriptor(0x5a, 4096), 6)));
    assertGoesOnAnywhere(stream);
  }

  @Test
  void ioQueueResumesAtAnyByte() throws Exception {
    NvmeofFrontend first = new NvmeofFrontend();
    FrontendSession admin = enabled(first);
    byte[] half = new byte[1000];
    byte[] stream =
        Streams.concat(
            List.of(
                Streams.intoIo(),
                Streams.bare(Entry.io(0x01, 0, 4).descriptor(0x5a, 4 * BLOCK), 2),
                Streams.capsule(Entry.io(0x05, 9, 1).flags(1), 3, new byte[BLOCK]),
                Streams.capsule(Entry.io(0x01, 9, 1).flags(2), 4, new byte[BLOCK]),
                Streams.data(2, 0, half, false),
                Streams.data(2, 1000, new byte[4 * BLOCK - 1000], true),
                Streams.bare(Entry.io(0x02, 0, 4).descriptor(0x5a, 4 * BLOCK), 5)));
    Park reference = new Park(first, stream, stream.length);
    for (int cut = 0; cut <= stream.length; cut += 7) {
      Park parked = new Park(first, stream, cut);
      assertThat(parked.sent()).as("cut at %d", cut).isEqualTo(reference.sent());
      assertThat(parked.fields()).as("cut at %d", cut).isEqualTo(reference.fields());
    }
    admin.stop(() -> {});
  }

  private void assertGoesOnAnywhere(byte[] stream) throws Exception {
    Park reference = new Park(new NvmeofFrontend(), stream, stream.length);
    for (int cut = 0; cut <= stream.length; cut += 5) {
      Park parked = new Park(new NvmeofFrontend(), stream, cut);
      assertThat(parked.sent()).as("cut at %d", cut).isEqualTo(reference.sent());
      assertThat(parked.fields()).as("cut at %d", cut).isEqualTo(reference.fields());
    }
  }

  @Test
  void unknownStateIsRejected() throws Exception {
    assertRefused(new SessionState("nbd", 1, 1, Map.of("phase", "queue")));
    assertRefused(new SessionState("nvmeof", 3, 3, Map.of("phase", "queue")));
    assertRefused(new SessionState("nvmeof", 1, 1, Map.of("phase", "other")));
    assertRefused(new SessionState("nvmeof", 1, 1, Map.of("phase", "queue")));
  }

  private void assertRefused(SessionState state) {
    assertThatThrownBy(() -> new NvmeofFrontend().resume(connection(), state))
        .isInstanceOfSatisfying(
            StorageException.class,
            failure -> assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED));
  }

  private ScriptedNvmeConnection connection() {
    return new ScriptedNvmeConnection(Streams.EXPORT, device, texts);
  }

  private FrontendSession enabled(NvmeofFrontend frontend) {
    ScriptedNvmeConnection connection = connection();
    FrontendSession session = frontend.open(connection);
    connection.offer(session, Streams.intoAdmin(Streams.SUBSYSTEM));
    return session;
  }

  /** A session that is parked once, and its parked state. */
  private final class Park {
    private final ScriptedNvmeConnection connection = connection();
    private final SessionState end;

    Park(NvmeofFrontend frontend, byte[] stream, int cut) throws StorageException {
      FrontendSession session = frontend.open(connection);
      int left = connection.feed(session, Arrays.copyOf(stream, cut), Math.max(1, cut));
      FrontendSession next = frontend.resume(connection, stateOf(session));
      connection.feed(next, Arrays.copyOfRange(stream, cut - left, stream.length), stream.length);
      end = stateOf(next);
    }

    long sent() {
      return connection.sent();
    }

    /** Leaves out fields that differ from one controller to the next. */
    Map<String, String> fields() {
      Map<String, String> fields = new HashMap<>(end.fields());
      fields.remove("controller");
      fields.remove("connect-data");
      return fields;
    }

    private SessionState stateOf(FrontendSession session) {
      return ((ReplaceableSession) session).state();
    }
  }
}
