package dev.holdfast.frontend.iscsi;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.ReplaceableSession;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.util.Arrays;

/**
 * Inputs that coverage-guided fuzzing found. The stored inputs run every time; {@code -Dfuzz}
 * searches for new ones.
 */
class IscsiSessionGuidedFuzzTest {
  private static final int SIZE = 1 << 20;

  /** The first byte selects how the stream is split, the second whether it begins after a login. */
  @FuzzTest(maxDuration = "10m")
  void anyStreamEndsInAnswersOrAClosedConnection(byte[] input) throws StorageException {
    if (input.length < 2) {
      return;
    }
    int piece = 1 + (input[0] & 0xff) * 16;
    byte[] stream = Arrays.copyOfRange(input, 2, input.length);
    byte[] whole = input[1] % 2 == 0 ? stream : Streams.afterLogin(stream);
    IscsiFrontend frontend = new IscsiFrontend();
    ScriptedIscsiConnection connection = new ScriptedIscsiConnection(new MemoryBlockDevice(SIZE));
    ReplaceableSession session = (ReplaceableSession) frontend.open(connection);
    connection.feed(session, whole, piece);
    // After any input, another bundle can resume the session.
    connection.feed(
        (ReplaceableSession) frontend.resume(connection, session.state()), stream, piece);
  }
}
