package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.block.ForwardingBlockDevice;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Unsolicited events for hosts. */
final class NvmeEventsTest extends NvmeTestBase {
  private static final int NAMESPACE_NOTICE = 1 << 8;
  private static final int DISCOVERY_NOTICE = 1 << 31;

  @Test
  void growthOfAVolumeIsReportedOnceUntilTheLogIsRead() throws Exception {
    AtomicLong size = new AtomicLong(SIZE / 2);
    endpoint =
        server
            .publish(
                "growing",
                new ForwardingBlockDevice(device) {
                  @Override
                  public long size() {
                    return size.get();
                  }
                })
            .endpoint();
    subsystem = endpoint.getPath().substring(1);
    HostQueue admin = admin().queue();
    get(admin.send(feature(true, 0x0b, NAMESPACE_NOTICE), 0)).orThrow();
    var first = admin.send(new Entry(0x0c), 0);
    awaitObserved(admin, SIZE / 2);
    size.set(SIZE);
    assertThat(get(first).result()).isEqualTo(0x04_00_02);
    assertThat(page(get(admin.send(identify(0, 1), 4096))).getLong(0)).isEqualTo(SIZE / BLOCK);
    var second = admin.send(new Entry(0x0c), 0);
    assertThat(page(get(admin.send(log(4, 4096), 4096))).getInt(0)).isEqualTo(1);
    assertThat(page(get(admin.send(log(4, 4096), 4096))).getInt(0)).isZero();
    assertThat(second).isNotDone();
    size.set(SIZE + 4096);
    assertThat(get(second).result()).isEqualTo(0x04_00_02);
  }

  /** The controller polls the size: waits until it has read the first size. */
  private void awaitObserved(HostQueue admin, long size) throws Exception {
    ByteBuffer page = page(get(admin.send(identify(0, 1), 4096)));
    assertThat(page.getLong(0)).isEqualTo(size / BLOCK);
  }

  @Test
  void changeOfTheDiscoveryLogIsReported() throws Exception {
    Host.Admin discovery = host.admin(endpoint, NvmeDiscoveryTest.DISCOVERY, 30_000);
    HostQueue admin = opened(discovery.queue());
    get(admin.send(feature(true, 0x0b, DISCOVERY_NOTICE), 0)).orThrow();
    var event = admin.send(new Entry(0x0c), 0);
    ByteBuffer before = page(get(admin.send(log(0x70, 1024), 1024)));
    server.publish("another", device);
    assertThat(get(event).result()).isEqualTo(0x70_f0_02);
    ByteBuffer after = page(get(admin.send(log(0x70, 4096), 4096)));
    assertThat(after.getLong(8)).isEqualTo(before.getLong(8) + 1);
    assertThat(after.getLong(0)).as("generation").isGreaterThan(before.getLong(0));
  }
}
