package dev.holdfast.frontend.iscsi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.FrontendConnection;
import dev.holdfast.frontend.FrontendProvider;
import dev.holdfast.frontend.FrontendSession;
import dev.holdfast.frontend.SessionState;
import dev.holdfast.frontend.iscsi.internal.IscsiFrontend;
import dev.holdfast.frontend.testkit.FrontendClient;
import dev.holdfast.frontend.testkit.FrontendVersion;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sessions of several connections, some of which another version of the bundle serves. */
@Timeout(120)
final class IscsiJointReplacementTest extends IscsiJointTestBase {
  private static final int ROUNDS = 40;
  private static final int DEPTH = 32;
  private static final int BLOCK = 4096;
  private static final long PATIENCE_SECONDS = 40;

  @Test
  void commandThatWaitsInOneVersionContinuesAfterInputOfAnotherVersion() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      for (int i = 1; i <= ROUNDS; i++) {
        int write = initiator.next();
        initiator.read(1, initiator.next());
        server.arrived(new IscsiFrontend(), i);
        // The other connection waits in its call, or has moved before the call: both are served.
        server.awaitServedAtLeast(i, 1);
        initiator.write(0, write, i);
        initiator.good(0);
        assertThat(initiator.found(1)).isEqualTo(i);
        server.awaitServedAtLeast(i, 2);
      }
      assertThat(device.writes()).isEqualTo(ROUNDS);
    }
  }

  @Test
  void connectionsThatMoveAtDifferentTimesKeepTheOrder() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 3)) {
      for (int i = 1; i <= ROUNDS; i++) {
        int read = initiator.next();
        int write = initiator.next();
        int last = initiator.next();
        initiator.write(2, last, i);
        initiator.write(1, write, i + 1);
        server.arrived(new IscsiFrontend(), i);
        initiator.read(0, read);
        assertThat(initiator.found(0)).isEqualTo(i - 1);
        initiator.good(1);
        initiator.good(2);
      }
      assertThat(device.writes()).isEqualTo(2 * ROUNDS);
    }
  }

  @Test
  void versionWithoutMultipleConnectionsMakesTheInitiatorLogInAgain() throws Exception {
    try (JointInitiator initiator = new JointInitiator(endpoint, 2)) {
      server.arrived(ofVersionOne(), 1);
      server.awaitServedAtLeast(1, 2);
      initiator.read(0, initiator.next());
      assertThatThrownBy(() -> initiator.wire(0).receive()).isInstanceOf(IOException.class);
    }
    try (JointInitiator initiator = new JointInitiator(endpoint, 1)) {
      initiator.ready(0, initiator.next());
      initiator.good(0);
    }
  }

  @Test
  void everyWriteIsDoneOnceWhileVersionsFollowEachOther() throws Exception {
    try (FrontendClient client = IscsiClient.connect(endpoint, IscsiClient.Style.JOINT)) {
      FrontendProvider serving = new IscsiFrontend();
      server.arrived(serving, 1);
      for (int i = 2; i <= ROUNDS; i++) {
        FrontendProvider next = new IscsiFrontend();
        List<CompletableFuture<Void>> writes = new ArrayList<>();
        for (int block = 0; block < DEPTH; block++) {
          writes.add(client.write((long) BLOCK * block, content(i, block), false));
        }
        if (i % 2 == 0) {
          server.left(serving);
          server.arrived(next, i);
        } else {
          server.arrived(next, i);
          server.left(serving);
        }
        serving = next;
        for (int block = 0; block < DEPTH; block++) {
          writes.get(block).get(PATIENCE_SECONDS, TimeUnit.SECONDS);
          assertThat(
                  client.read((long) BLOCK * block, BLOCK).get(PATIENCE_SECONDS, TimeUnit.SECONDS))
              .isEqualTo(content(i, block));
        }
      }
      assertThat(device.writes()).isEqualTo((ROUNDS - 1) * DEPTH);
    }
  }

  private static byte[] content(int round, int block) {
    byte[] content = new byte[BLOCK];
    Arrays.fill(content, (byte) (round * DEPTH + block));
    return content;
  }

  /** Reads only the fields of version 1 and ignores the others. */
  private static FrontendVersion ofVersionOne() {
    return new FrontendVersion(new IscsiFrontend()) {
      @Override
      public FrontendSession resume(FrontendConnection connection, SessionState state)
          throws StorageException {
        state.requireReadable("iscsi", 1);
        Map<String, String> fields = new HashMap<>(state.fields());
        fields.keySet().removeIf(name -> name.matches("over|cid|terms|joins"));
        return super.resume(connection, new SessionState("iscsi", 1, 1, fields));
      }
    };
  }
}
