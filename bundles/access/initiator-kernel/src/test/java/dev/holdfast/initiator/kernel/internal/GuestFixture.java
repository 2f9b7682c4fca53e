package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.initiator.HostState;
import dev.holdfast.initiator.Initiator;
import dev.holdfast.initiator.testkit.InitiatorFixture;
import java.net.URI;

/** Inside the virtual machine: the kernel's initiator, and a frontend on the machine outside. */
final class GuestFixture implements InitiatorFixture {
  static final String ENDPOINT = "ENDPOINT";
  static final long BYTES = 64 << 20;

  private final Sessions sessions;
  private final URI endpoint = URI.create(System.getenv(ENDPOINT));

  GuestFixture(Sessions sessions) {
    this.sessions = sessions;
  }

  @Override
  public Initiator initiator(HostState state) {
    return new KernelInitiator(sessions, state);
  }

  @Override
  public URI endpoint() {
    return endpoint;
  }

  @Override
  public long bytes() {
    return BYTES;
  }

  /** Nothing listens on port 1 of the machine outside. */
  @Override
  public URI silent() {
    return URI.create(endpoint.toString().replaceFirst(":[0-9]+/", ":1/"));
  }

  @Override
  public void assertNothingIsLeft() throws Exception {
    Target target = sessions.target(endpoint);
    assertThat(sessions.isOpen(target)).isFalse();
    assertThat(sessions.device(target)).isEmpty();
  }

  @Override
  public void close() {}
}
