package dev.holdfast.frontend.nvmeof.internal.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.controller.ControllerQueue;
import dev.holdfast.frontend.nvmeof.internal.wire.CompletionEntry;
import org.junit.jupiter.api.Test;

final class AuthenticationDeadlineTest {
  private final Host host = new Host();
  private boolean passed;
  private final AuthenticationDeadline deadline = new AuthenticationDeadline(host, () -> passed);

  /** A connection that records its end. */
  private static final class Host implements ControllerQueue {
    private boolean disconnected;
    private boolean gone;

    @Override
    public boolean tell(CompletionEntry entry) {
      return false;
    }

    @Override
    public void disconnect() {
      disconnected = true;
    }

    @Override
    public boolean gone() {
      return gone;
    }
  }

  @Test
  void hostThatDoesNotAuthenticateLosesItsConnection() {
    assertThat(deadline.tick(1)).isTrue();
    assertThat(deadline.tick(1 + AuthenticationDeadline.PATIENCE_NANOS)).isTrue();
    assertThat(host.disconnected).isFalse();
    assertThat(deadline.tick(2 + AuthenticationDeadline.PATIENCE_NANOS)).isFalse();
    assertThat(host.disconnected).isTrue();
  }

  @Test
  void deadlineEndsWhenTheHostAuthenticatesOrDisconnects() {
    assertThat(deadline.tick(1)).isTrue();
    passed = true;
    assertThat(deadline.tick(2 + AuthenticationDeadline.PATIENCE_NANOS)).isFalse();
    passed = false;
    host.gone = true;
    assertThat(deadline.tick(2 + AuthenticationDeadline.PATIENCE_NANOS)).isFalse();
    assertThat(host.disconnected).isFalse();
  }
}
