package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.frontend.ClientRefusal;
import dev.holdfast.frontend.ClientSecret;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.KnownClients;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Hosts of clients of the cluster, where a credential is required. */
final class NvmeClientAccessTest extends NvmeTestBase {
  private static final int SHA_256 = 1;
  private static final int NO_GROUP = 0;
  private static final int ASKED = 1 << 17;
  private static final int REQUIRED = 0x191;
  private static final int ACCESS_DENIED = 0x286;
  private static final short SUCCESS_1 = 0x0301;

  private final byte[] secret = random(32, 1);
  private final KnownClients clients = new KnownClients();

  @Override
  NvmeServer server() throws Exception {
    NvmeServer started =
        NvmeServer.start(
            new NvmeofFrontend(), Map.of("holdfast.frontend.authentication", "required"));
    started.knows(clients);
    return started;
  }

  private void know(boolean readOnly, String... exports) {
    clients.add(
        host.name(),
        new ClientSecret(host.name(), HostChap.secret(0, secret), Optional.empty()),
        readOnly,
        exports);
  }

  private HostQueue connecting() throws Exception {
    return opened(HostQueue.open(endpoint, host.options()));
  }

  private Outcome connect(HostQueue queue, String to) throws Exception {
    return get(queue.send(host.connect(0, 32, 0), host.data(to, Host.ANY)));
  }

  private ByteBuffer authenticate(HostQueue queue, byte[] with) throws Exception {
    return new HostChap(queue, host.name(), subsystem, 0x1234)
        .authenticate(SHA_256, NO_GROUP, with, false);
  }

  @Test
  void hostIsServedOnceItProvedItsSecret() throws Exception {
    know(false, "volume");
    HostQueue queue = connecting();
    assertThat(connect(queue, subsystem).orThrow().result() & ~0xffffL).isEqualTo(ASKED);
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isEqualTo(REQUIRED);
    assertThat(authenticate(queue, secret).getShort(0)).isEqualTo(SUCCESS_1);
    assertThat(get(queue.send(Host.property(0x14, 0x460001), 0)).status()).isZero();
    assertThat(get(queue.send(identify(1, 0), 4096)).status()).isZero();
  }

  @Test
  void hostThatMayOnlyReadGetsNoWriteThrough() throws Exception {
    know(true, "volume");
    HostQueue queue = connecting();
    Outcome unused = connect(queue, subsystem).orThrow();
    assertThat(authenticate(queue, secret).getShort(0)).isEqualTo(SUCCESS_1);
    assertThat(get(queue.send(Host.property(0x14, 0x460001), 0)).status()).isZero();
    int controller = page(get(queue.send(identify(1, 0), 4096))).getShort(78) & 0xffff;
    HostQueue io = connecting();
    Outcome joined =
        get(io.send(host.connect(1, 128, 0), host.data(subsystem, controller))).orThrow();
    assertThat(joined.result()).isEqualTo(controller | ASKED);
    assertThat(authenticate(io, secret).getShort(0)).isEqualTo(SUCCESS_1);
    assertThat(get(io.send(Entry.io(0x02, 0, 1), BLOCK)).status()).isZero();
    assertThat(get(io.send(Entry.io(0x01, 0, 1), new byte[BLOCK])).status())
        .isEqualTo(ACCESS_DENIED);
  }

  @Test
  void wrongSecretIsRefusedAndReported() throws Exception {
    know(false, "volume");
    HostQueue queue = connecting();
    Outcome unused = connect(queue, subsystem).orThrow();
    assertThat(authenticate(queue, random(32, 3)).getShort(0)).isNotEqualTo(SUCCESS_1);
    assertThat(clients.refusals())
        .singleElement()
        .satisfies(
            refusal -> {
              assertThat(refusal.reason()).isEqualTo(ClientRefusal.Reason.SECRET);
              assertThat(refusal.client()).isEqualTo(host.name());
            });
  }

  @Test
  void hostWithoutASecretMayNotConnect() throws Exception {
    assertThat(connect(connecting(), subsystem).status()).isNotZero();
    assertThat(clients.refusals()).hasSize(1);
  }

  @Test
  void hostMayNotConnectToAVolumeOfOthers() throws Exception {
    know(false, "another");
    assertThat(server.publish("another", new MemoryBlockDevice(SIZE)).connections()).isZero();
    assertThat(connect(connecting(), subsystem).status()).isNotZero();
    assertThat(clients.refusals())
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.reason()).isEqualTo(ClientRefusal.Reason.EXPORT));
  }
}
