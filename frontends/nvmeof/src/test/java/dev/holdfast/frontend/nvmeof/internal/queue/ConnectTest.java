package dev.holdfast.frontend.nvmeof.internal.queue;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.frontend.nvmeof.internal.controller.ControllerId;
import dev.holdfast.frontend.nvmeof.internal.controller.NvmeController;
import dev.holdfast.frontend.nvmeof.internal.wire.ConnectData;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Results of a refused Connect. */
final class ConnectTest {
  private static final UUID HOST = new UUID(1, 2);
  private static final UUID OTHER = new UUID(1, 3);

  private final NvmeController controller =
      new NvmeController(new ControllerId("nqn.test", 7), HOST, "nqn.host");

  @Test
  void connectOfAnotherHostIsRejectedWithTheReason() {
    assertThatThrownBy(() -> connect(OTHER, "nqn.host").requireHost(controller))
        .hasMessage(
            "controller 7 belongs to another host: host identifier %s, expected %s", OTHER, HOST);
    assertThatThrownBy(() -> connect(HOST, "nqn.other").requireHost(controller))
        .hasMessage("controller 7 belongs to another host: host name nqn.other, expected nqn.host");
    assertThatCode(() -> connect(HOST, "nqn.host").requireHost(controller))
        .doesNotThrowAnyException();
  }

  private static Connect connect(UUID host, String name) {
    return new Connect(1, 1, 32, false, 0, new ConnectData(host, 7, "nqn.test", name));
  }
}
