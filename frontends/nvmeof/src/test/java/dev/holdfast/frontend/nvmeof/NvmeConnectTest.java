package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Connecting queues: refusals, and which connections end together. */
final class NvmeConnectTest extends NvmeTestBase {
  private static final int IN_DATA = 1 << 16;

  @Test
  void wrongParametersAreReportedWithTheirOffset() throws Exception {
    assertRefused(host.connect(0, 32, 0), host.data("nqn.no.such", 0xffff), 0x182, IN_DATA | 256);
    assertRefused(host.connect(0, 32, 0), host.data(subsystem, 7), 0x182, IN_DATA | 16);
    assertRefused(host.connect(0, 1, 0), host.data(subsystem, 0xffff), 0x182, 44);
    assertRefused(host.connect(0, 1000, 0), host.data(subsystem, 0xffff), 0x182, 44);
    assertRefused(host.connect(65, 32, 0), host.data(subsystem, 1), 0x182, 42);
    byte[] nameless = host.data(subsystem, 0xffff);
    nameless[512] = 'x';
    assertRefused(host.connect(0, 32, 0), nameless, 0x182, IN_DATA | 512);
    assertRefused(host.connect(0, 32, 0).or(10, 1), host.data(subsystem, 0xffff), 0x180, 0);
    assertRefused(host.connect(0, 32, 0), new byte[100], 0x0f, 0);
    assertRefused(host.connect(0, 32, 1 << 30), host.data(subsystem, 0xffff), 0x19, 0);
    assertRefused(identify(1, 0), new byte[0], 0x0c, 0);
  }

  private void assertRefused(Entry entry, byte[] data, int status, long result) throws Exception {
    HostQueue queue = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome = get(queue.send(entry, data));
    assertThat(outcome.status()).isEqualTo(status);
    assertThat(outcome.result()).isEqualTo(result);
    assertThat(queue.terminated()).failsWithin(java.time.Duration.ofSeconds(20));
  }

  @Test
  void hostOfAnUnavailableVolumeMayRetry() throws Exception {
    String away = subsystem.replace(":volume", ":away");
    HostQueue queue = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome = get(queue.send(host.connect(0, 32, 0), host.data(away, Host.ANY)));
    assertThat(outcome.status()).isEqualTo(0x182);
    assertThat(outcome.retry()).isTrue();
  }

  @Test
  void queueOfAnotherHostOrTwiceIsRefused() throws Exception {
    Host.Admin admin = admin();
    io(host, admin);
    assertThatThrownBy(() -> io(host.another(), admin)).isInstanceOf(IOException.class);
    Host other = new Host(host.another().id(), host.name(), host.options(), host.dialer());
    Host renamed = new Host(host.id(), host.another().name(), host.options(), host.dialer());
    byte[] identified = other.data(subsystem, admin.controller());
    byte[] named = renamed.data(subsystem, admin.controller());
    assertRefused(other.connect(2, 128, 0), identified, 0x182, IN_DATA);
    assertRefused(renamed.connect(2, 128, 0), named, 0x182, IN_DATA | 512);
    HostQueue twice = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome =
        get(twice.send(host.connect(1, 128, 0), host.data(subsystem, admin.controller())));
    assertThat(outcome.status()).isEqualTo(0x182);
    assertThat(outcome.result()).isEqualTo(42);
    opened(host.io(endpoint, subsystem, admin.controller(), 2));
  }

  @Test
  void ioQueueNeedsAnEnabledController() throws Exception {
    Host.Admin admin = admin();
    get(admin.queue().send(Host.property(0x14, 0), 0)).orThrow();
    HostQueue queue = opened(HostQueue.open(endpoint, host.options()));
    Outcome outcome =
        get(queue.send(host.connect(1, 128, 0), host.data(subsystem, admin.controller())));
    assertThat(outcome.status()).isEqualTo(0x181);
    assertThat(outcome.retry()).isTrue();
  }

  @Test
  void controllersHaveDistinctNumbers() throws Exception {
    Set<Integer> numbers = new HashSet<>();
    for (int i = 0; i < 20; i++) {
      numbers.add(admin().controller());
    }
    assertThat(numbers).hasSize(20);
  }

  @Test
  void disabledControllerLosesItsIoQueues() throws Exception {
    Host.Admin admin = admin();
    HostQueue io = io(host, admin);
    get(admin.queue().send(Host.property(0x14, 0), 0)).orThrow();
    assertThat(io.terminated()).failsWithin(java.time.Duration.ofSeconds(20));
    get(admin.queue().send(Host.property(0x14, 0x460001), 0)).orThrow();
    get(admin.queue().send(identify(1, 0), 4096)).orThrow();
  }

  @Test
  void ioQueueIsDisconnectedAlone() throws Exception {
    Host.Admin admin = admin();
    HostQueue io = io(host, admin);
    get(io.send(Entry.fabrics(0x08), 0)).orThrow();
    assertThat(io.terminated()).failsWithin(java.time.Duration.ofSeconds(20));
    assertThat(get(admin.queue().send(Entry.fabrics(0x08), 0)).status()).isEqualTo(0x185);
    io(host, admin);
  }

  @Test
  void silentHostLosesItsController() throws Exception {
    Host.Admin admin = admin(host, 600);
    HostQueue io = io(host, admin);
    assertThat(admin.queue().terminated()).failsWithin(java.time.Duration.ofSeconds(20));
    assertThat(io.terminated()).failsWithin(java.time.Duration.ofSeconds(20));
  }

  @Test
  void commandsOfAnyQueueKeepAlive() throws Exception {
    Host.Admin admin = admin(host, 1500);
    HostQueue io = io(host, admin);
    long end = System.nanoTime() + 3_000_000_000L;
    while (System.nanoTime() < end) {
      get(io.send(Entry.io(0x02, 0, 1), BLOCK)).orThrow();
    }
    get(admin.queue().send(new Entry(0x18), 0)).orThrow();
  }
}
