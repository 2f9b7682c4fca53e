package dev.holdfast.datapath.internal.hosts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.engine.export.ExportHost;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The hosts of exports in each mode of a node. */
class ExportHostsTest {
  private final Map<String, String> properties = new HashMap<>();
  private final ListedInitiators clients = new ListedInitiators();
  private final ExportHosts hosts =
      new ExportHosts(name -> Optional.ofNullable(properties.get(name)));

  @BeforeEach
  void know() {
    hosts.use(clients);
    clients.add("iqn.a", false, "vol").dhchap("iqn.a", "k", "");
    clients.add("nqn.with-key", false, "vol").dhchap("nqn.with-key", "k", "");
    clients.add("nqn.without-key", false, "vol");
    clients.add("nqn.reader", true, "vol").dhchap("nqn.reader", "k", "");
  }

  private List<String> allowed(String mode) throws StorageException {
    properties.put(ExportHosts.MODE, mode);
    return hosts.of("nvmeof", "vol").hosts().stream().map(ExportHost::identity).sorted().toList();
  }

  private boolean authenticated() throws StorageException {
    return hosts.of("nvmeof", "vol").security().authenticationRequired();
  }

  @Test
  void openNodeAdmitsItsProgramsAndAllClientsThatMayWrite() throws Exception {
    assertThat(allowed("open")).containsExactly("", "nqn.with-key", "nqn.without-key");
    assertThat(authenticated()).isFalse();
    assertThat(allowed("")).isEqualTo(allowed("open"));
  }

  @Test
  void nodeOpenToItsProgramsAdmitsClientsByTheirKeys() throws Exception {
    assertThat(allowed("open-loopback")).containsExactly("", "nqn.with-key");
  }

  @Test
  void nodeThatRequiresCredentialsAdmitsOnlyClientsWithKeys() throws Exception {
    assertThat(allowed("required")).containsExactly("nqn.with-key");
    assertThat(authenticated()).isTrue();
    assertThat(allowed("misspelled")).containsExactly("nqn.with-key");
  }

  @Test
  void requiredTlsLeavesOutHostsWithoutAPresharedKey() throws Exception {
    properties.put(ExportHosts.TLS, "require");
    assertThat(allowed("open")).isEmpty();
    assertThat(hosts.of("nvmeof", "vol").remark("vol"))
        .contains("the keys that this node requires");
    clients.tls("nqn.with-key", "psk");
    assertThat(allowed("required")).containsExactly("nqn.with-key");
    AllowedHosts found = hosts.of("nvmeof", "vol");
    assertThat(found.hosts().get(0).tlsKey()).isPresent();
    assertThat(found.security().tlsRequired()).isTrue();
    properties.put(ExportHosts.TLS, "offer");
    assertThat(hosts.of("nvmeof", "vol").hosts().get(0).tlsKey()).isEmpty();
  }

  @Test
  void kernelsOfNodesAreAdmittedByTheirKeys() throws Exception {
    clients.kernel("node-1", "nqn.kernel-1", "k1");
    clients.kernel("node-2", "nqn.kernel-2", "k2");
    assertThat(allowed("open")).contains("nqn.kernel-2").doesNotContain("nqn.kernel-1");
    assertThat(allowed("open-loopback")).containsExactly("", "nqn.kernel-2", "nqn.with-key");
    assertThat(allowed("required")).containsExactly("nqn.kernel-1", "nqn.kernel-2", "nqn.with-key");
    ExportHost second =
        hosts.of("nvmeof", "vol").hosts().stream()
            .filter(host -> host.identity().equals("nqn.kernel-2"))
            .findFirst()
            .orElseThrow();
    assertThat(second.hostKey().orElseThrow().secret()).isEqualTo("k2");
    assertThat(second.controllerKey().orElseThrow().secret()).isEqualTo("own-k2");
    properties.put(ExportHosts.NODE, "node-2");
    assertThat(allowed("open-loopback")).containsExactly("", "nqn.kernel-1", "nqn.with-key");
    properties.put(ExportHosts.TLS, "require");
    assertThat(allowed("required")).isEmpty();
  }

  @Test
  void clientCountsBeforeTheNodeWithItsName() throws Exception {
    clients.kernel("node-2", "nqn.with-key", "other");
    assertThat(allowed("required")).containsExactly("nqn.with-key");
    assertThat(hosts.of("nvmeof", "vol").hosts().get(0).hostKey().orElseThrow().secret())
        .isEqualTo("k");
  }

  @Test
  void exportThatOtherMachinesReachCannotBeOpenToOne() throws Exception {
    properties.put(ExportHosts.ADDRESS, "192.0.2.7");
    assertThatThrownBy(() -> allowed("open-loopback"))
        .hasMessageContaining("192.0.2.7 cannot tell hosts of this machine from others")
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.UNSUPPORTED);
    assertThat(allowed("required")).containsExactly("nqn.with-key");
  }

  @Test
  void exportsByOtherProtocolsAreForProgramsOfThisHost() throws Exception {
    properties.put(ExportHosts.MODE, "required");
    assertThat(hosts.of("device", "vol")).isEqualTo(AllowedHosts.LOCAL);
  }

  @Test
  void unknownClientsAreAwaited() {
    clients.ready = false;
    assertThatThrownBy(() -> hosts.of("nvmeof", "vol")).hasMessageContaining("not known yet");
    clients.ready = true;
    hosts.forget(clients);
    assertThatThrownBy(() -> hosts.of("nvmeof", "vol"))
        .extracting(e -> ((StorageException) e).code())
        .isEqualTo(ErrorCode.BUSY);
  }
}
