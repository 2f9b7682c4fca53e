package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Volumes that hosts can discover, and their addresses. */
final class NvmeDiscoveryTest extends NvmeTestBase {
  static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";
  private static final int RECORD = 1024;

  @Override
  NvmeServer server() throws Exception {
    Map<String, String> properties =
        Map.of(
            "holdfast.advertised.address",
            "localhost",
            "holdfast.nvmeof.referrals",
            "192.0.2.7, [2001:db8::9]:4421");
    NvmeofFrontend frontend = new NvmeofFrontend(name -> Optional.ofNullable(properties.get(name)));
    return NvmeServer.start(frontend, properties);
  }

  @Test
  void discoveryLogListsVolumesWithTheAdvertisedAddressAndReferrals() throws Exception {
    server.publish("another", device);
    HostQueue admin = opened(host.admin(endpoint, DISCOVERY, 0).queue());
    ByteBuffer log = page(get(admin.send(log(0x70, 5 * RECORD), 5 * RECORD)));
    assertThat(log.getLong(8)).as("records").isEqualTo(4);
    assertThat(text(log, RECORD + 256, 256)).isEqualTo(subsystem.replace("volume", "another"));
    int second = 2 * RECORD;
    assertThat(log.get(second)).as("TCP").isEqualTo((byte) 3);
    assertThat(log.get(second + 2)).as("NVM subsystem").isEqualTo((byte) 2);
    assertThat(log.getShort(second + 6)).as("dynamic").isEqualTo((short) 0xffff);
    assertThat(text(log, second + 32, 32)).isEqualTo(String.valueOf(endpoint.getPort()));
    assertThat(text(log, second + 256, 256)).isEqualTo(subsystem);
    assertThat(text(log, second + 512, 256)).isEqualTo("127.0.0.1");
    int third = 3 * RECORD;
    assertThat(log.get(third + 1)).as("IPv4").isEqualTo((byte) 1);
    assertThat(log.get(third + 2)).as("referral").isEqualTo((byte) 1);
    assertThat(text(log, third + 32, 32)).isEqualTo("8009");
    assertThat(text(log, third + 512, 256)).isEqualTo("192.0.2.7");
    int fourth = 4 * RECORD;
    assertThat(log.get(fourth + 1)).as("IPv6").isEqualTo((byte) 2);
    assertThat(text(log, fourth + 512, 256)).isEqualTo("2001:db8:0:0:0:0:0:9");
  }

  @Test
  void discoveryControllerHasNoVolume() throws Exception {
    Host.Admin discovery = host.admin(endpoint, DISCOVERY, 0);
    HostQueue admin = opened(discovery.queue());
    ByteBuffer page = page(get(admin.send(identify(1, 0), 4096)));
    assertThat(page.get(111)).as("CNTRLTYPE").isEqualTo((byte) 2);
    assertThat(page.getInt(92)).as("OAES").isEqualTo(1 << 31);
    assertThat(get(admin.send(identify(0, 1), 4096)).status()).isEqualTo(2);
    assertThat(get(admin.send(log(0x0c, 64), 64)).status()).isEqualTo(0x109);
    HostQueue io = opened(HostQueue.open(endpoint, host.options()));
    Outcome refused =
        get(io.send(host.connect(1, 128, 0), host.data(DISCOVERY, discovery.controller())));
    assertThat(refused.status()).isEqualTo(0x182);
  }

  private static String text(ByteBuffer page, int at, int length) {
    String field = new String(Bytes.of(page, at, length), StandardCharsets.UTF_8);
    return field.replace('\0', ' ').strip();
  }
}
