package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.Socket;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Thousands of hosts that connect and disconnect leave no state behind. */
final class NvmeCrowdTest extends NvmeTestBase {
  private static final int HOSTS = 2000;

  @Test
  void thousandsOfConnectionsOpenedAndDroppedAtAnyPointAreForgotten() throws Exception {
    byte[] stream = Streams.intoAdmin(subsystem);
    for (int i = 0; i < HOSTS; i++) {
      try (Socket socket = new Socket(endpoint.getHost(), endpoint.getPort())) {
        int sent = (int) ((long) stream.length * (i % 10) / 9);
        socket.getOutputStream().write(Arrays.copyOf(stream, sent));
        // Some wait for the first reply, which limits the number of open connections.
        if (i % 10 == 9) {
          assertThat(socket.getInputStream().read()).isEqualTo(1);
        }
      }
    }
    HostQueue io = io();
    CompletableFuture<Outcome> write = io.send(Entry.io(0x01, 0, 1), random(BLOCK, 1));
    get(write).orThrow();
    assertThat(get(io.send(Entry.io(0x02, 0, 1), BLOCK)).data()).isEqualTo(random(BLOCK, 1));
  }
}
