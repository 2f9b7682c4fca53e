package dev.holdfast.frontend.nvmeof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.StorageException;
import dev.holdfast.frontend.nvmeof.internal.NvmeofFrontend;
import dev.holdfast.frontend.testkit.MemoryBlockDevice;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** TLS with pre-shared keys, seen by a host with OpenSSL; the listener requires TLS. */
final class NvmeTlsTest extends NvmeTestBase {
  private static final String DISCOVERY = "nqn.2014-08.org.nvmexpress.discovery";
  private static final int HOST_NOT_ALLOWED = 0x184;
  private static final int RECORD = 1024;

  @TempDir static Path folder;

  private final HostTls tls = HostTls.of(1, 1);
  private final Host secured = host.over(tls);
  private Path file;

  @Override
  NvmeServer server() throws Exception {
    file = Files.createTempFile(folder, "keys", "");
    line(host.name(), tls.text());
    return server(Map.of("holdfast.nvmeof.psk", file.toString()), "require");
  }

  private static NvmeServer server(Map<String, String> more, String mode) throws Exception {
    Map<String, String> options = new HashMap<>(more);
    options.put("holdfast.nvmeof.tls", mode);
    return NvmeServer.start(
        new NvmeofFrontend(name -> Optional.ofNullable(options.get(name))), options);
  }

  private void line(String... words) throws Exception {
    Files.writeString(file, "# hosts\n\n" + String.join("  ", words) + "\n");
  }

  private void assertServed(Host from) throws Exception {
    byte[] written = random(1 << 20, 9);
    HostQueue io = io(from, admin(from, 0));
    assertThat(get(io.send(Entry.io(0x01, 0, written.length / BLOCK), written)).status()).isZero();
    Outcome read = get(io.send(Entry.io(0x02, 0, written.length / BLOCK), written.length));
    assertThat(read.orThrow().data()).isEqualTo(written);
  }

  private void assertTurnedAway(Host from) {
    assertThatThrownBy(() -> from.admin(endpoint, subsystem, 0)).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "1, 1", "2, 0", "2, 1"})
  void hostWithItsKeyIsServed(int hash, int version) throws Exception {
    HostTls own = HostTls.of(hash, version);
    line(host.name(), own.text());
    assertServed(host.over(own));
  }

  @Test
  void keyForAllHostsIsThatOfEach() throws Exception {
    line("*", tls.text());
    assertServed(secured.another());
  }

  @Test
  void hostMayOfferAnUnknownGroupFirst() throws Exception {
    assertServed(host.over(tls.with("-groups", "P-521:P-384")));
  }

  @Test
  void wrongKeyIsRefused() throws Exception {
    HostTls first = HostTls.of(1, 0);
    line(host.name(), first.text());
    assertTurnedAway(host.over(first.withKey(random(32, 5))));
    assertServed(host.over(first));
  }

  @Test
  void hostWithoutAKeyIsRefused() throws Exception {
    assertTurnedAway(secured.another());
    assertServed(secured);
  }

  @Test
  void hostInClearIsRefused() throws Exception {
    assertTurnedAway(host);
    assertServed(secured);
  }

  @Test
  void keyOfAnotherHostOrSubsystemIsRejected() throws Exception {
    line("*", tls.text());
    Host other = host.another();
    assertThat(connected(tls.dial(endpoint, other.name(), subsystem))).isEqualTo(HOST_NOT_ALLOWED);
    assertThat(connected(tls.dial(endpoint, host.name(), DISCOVERY))).isEqualTo(HOST_NOT_ALLOWED);
    assertThat(connected(tls.dial(endpoint, host.name(), subsystem))).isZero();
  }

  /** Returns the status of this host's Connect. */
  private int connected(Wire wire) throws Exception {
    HostQueue queue = opened(HostQueue.open(wire, host.options()));
    return get(queue.send(host.connect(0, 32, 0), host.data(subsystem, Host.ANY))).status();
  }

  @Test
  void changedKeyHoldsFromTheNextConnectionOn() throws Exception {
    HostQueue before = io(secured, admin(secured, 0));
    HostTls next = tls.withKey(random(32, 6));
    line(host.name(), next.text());
    assertTurnedAway(secured);
    assertServed(host.over(next));
    assertThat(get(before.send(Entry.io(0x02, 0, 1), BLOCK)).status()).isZero();
  }

  @Test
  void unreadableKeysRejectAllHosts() throws Exception {
    line(host.name(), "NVMeTLSkey-1:01:AAAA:");
    assertTurnedAway(secured);
    Files.delete(file);
    assertTurnedAway(secured);
  }

  @Test
  void discoveryReportsThatTlsIsRequired() throws Exception {
    assertThat(security(secured, endpoint)).isEqualTo("1 2");
  }

  @Test
  void whereTlsIsOfferedBothKindsOfHostAreServed() throws Exception {
    try (NvmeServer offering = server(Map.of("holdfast.nvmeof.psk", file.toString()), "offer")) {
      URI at = offering.publish("volume", new MemoryBlockDevice(SIZE)).endpoint();
      assertThat(security(host, at)).isEqualTo("2 2");
      assertThat(security(secured, at)).isEqualTo("2 2");
    }
  }

  @Test
  void withoutKeysTlsIsNotOfferedAndCannotBeRequired() throws Exception {
    try (NvmeServer plain = server(Map.of(), "offer")) {
      URI at = plain.publish("volume", new MemoryBlockDevice(SIZE)).endpoint();
      assertThat(security(host, at)).isEqualTo("0 0");
    }
    try (NvmeServer plain = server(Map.of(), "require")) {
      assertThatThrownBy(() -> plain.publish("volume", new MemoryBlockDevice(SIZE)))
          .isInstanceOf(StorageException.class)
          .hasMessageContaining("holdfast.nvmeof.tls");
    }
  }

  /** Returns the requirement and the type of security of the volume's record. */
  private String security(Host from, URI at) throws Exception {
    Host.Admin discovery = from.admin(at, DISCOVERY, 0);
    opened(discovery.queue());
    ByteBuffer log = page(get(discovery.queue().send(log(0x70, 2 * RECORD), 2 * RECORD)));
    assertThat(log.getLong(8)).isEqualTo(1);
    return (log.get(RECORD + 3) & 3) + " " + log.get(RECORD + 768);
  }
}
