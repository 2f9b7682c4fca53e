package dev.holdfast.engine.sparse.internal.wire;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.util.Arrays;

/** Any reply of a replica's node to a client's options ends in success or one of two failures. */
class HandshakeGuidedFuzzTest {

  /**
   * The first byte chooses the size of the pieces in which the rest arrives, and whether TLS is
   * requested.
   */
  @FuzzTest(maxDuration = "5m")
  void anyAnswerIsUnderstoodOrRefused(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] said = Arrays.copyOfRange(input, 1, input.length);
    DataHandshake handshake =
        new DataHandshake("replica", new ScriptedSocket(said, 1 + (input[0] & 0x7f)));
    try {
      handshake.greet();
      if (input[0] < 0) {
        handshake.askForTls();
      }
      handshake.go("volume/replica/1.1");
    } catch (IOException | StorageException e) {
      // The connection is closed with a reason.
    }
  }
}
