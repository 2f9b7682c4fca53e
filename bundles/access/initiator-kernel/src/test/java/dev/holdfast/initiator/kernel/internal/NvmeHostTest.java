package dev.holdfast.initiator.kernel.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which secrets of nvme-cli's file a connection gets. */
final class NvmeHostTest {
  private static final String NAME = "nqn.2014-08.org.nvmexpress:uuid:6f2c6f0a";
  private static final String FILMS = "nqn.2026-11.dev.holdfast:films";
  private static final String OWN = "DHHC-1:00:b3du:";
  private static final String PORTS = "DHHC-1:01:cG9ydA==:";
  private static final String CONTROLLERS = "DHHC-1:03:Y3RybA==:";

  @TempDir Path folder;
  private NvmeHost host;

  @BeforeEach
  void named() throws Exception {
    Files.writeString(folder.resolve("hostnqn"), NAME + "\n");
    Files.writeString(folder.resolve("hostid"), "6f2c6f0a-5f0e-4d8e-9d0c-0a5b9c7d1e2f\n");
    host = new NvmeHost(folder);
  }

  private void configured(String text) throws Exception {
    Files.writeString(folder.resolve("config.json"), text.replace('\'', '"'));
  }

  /** Written as nvme-cli's own schema has it. */
  private void configuredPort(String port) throws Exception {
    configured(
        "[{'hostnqn': 'nqn.other', 'dhchap_key': 'DHHC-1:00:bm8=:'},"
            + "{'hostnqn': '%s', 'dhchap_key': '%s', 'subsystems': [{'nqn': '%s', 'ports': [%s]}]}]"
                .formatted(NAME, OWN, FILMS, port));
  }

  private String secrets(String endpoint) throws StorageException {
    return host.secrets(new NvmeControllers().target(URI.create(endpoint)));
  }

  private String secretsOfFilms() throws StorageException {
    return secrets("nvme://127.0.0.1:4420/" + FILMS);
  }

  @Test
  void hostIsNamedOnlyWithBothOfItsNames() throws Exception {
    assertThat(host.identity())
        .isEqualTo(",hostnqn=" + NAME + ",hostid=6f2c6f0a-5f0e-4d8e-9d0c-0a5b9c7d1e2f");
    Files.delete(folder.resolve("hostid"));
    assertThat(host.identity()).isEmpty();
  }

  @Test
  void withoutFileOrNameThereAreNoSecrets() throws Exception {
    assertThat(secretsOfFilms()).isEmpty();
    configuredPort("");
    Files.delete(folder.resolve("hostid"));
    assertThat(secretsOfFilms()).isEmpty();
  }

  @Test
  void hostsSecretIsForEverySubsystem() throws Exception {
    configured(
        "[{'hostnqn': '%s', 'dhchap_key': '%s', 'dhchap_ctrl_key': '%s'}]"
            .formatted(NAME, OWN, CONTROLLERS));
    assertThat(secretsOfFilms())
        .isEqualTo(",dhchap_secret=" + OWN + ",dhchap_ctrl_secret=" + CONTROLLERS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "'transport': 'tcp', 'traddr': '127.0.0.1', 'trsvcid': '4420'",
        "'transport': 'tcp', 'trsvcid': 4420",
        "'traddr': '127.0.0.1'"
      })
  void portsSecretsGoBeforeTheHosts(String where) throws Exception {
    configuredPort(
        "{%s, 'dhchap_key': '%s', 'dhchap_ctrl_key': '%s'}".formatted(where, PORTS, CONTROLLERS));
    assertThat(secretsOfFilms())
        .isEqualTo(",dhchap_secret=" + PORTS + ",dhchap_ctrl_secret=" + CONTROLLERS);
    assertThat(secrets("nvme://127.0.0.1:4420/nqn.2026-11.dev.holdfast:songs"))
        .isEqualTo(",dhchap_secret=" + OWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"'traddr': '127.0.0.2'", "'trsvcid': '4421'", "'transport': 'rdma'"})
  void anotherPortsSecretsAreNotGiven(String where) throws Exception {
    configuredPort("{%s, 'dhchap_key': '%s'}".formatted(where, PORTS));
    assertThat(secretsOfFilms()).isEqualTo(",dhchap_secret=" + OWN);
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3cret", "DHHC-1:00:b3du:,nqn=nqn.x", "DHHC-1:00::", ""})
  void invalidSecretIsNamedButNotQuoted(String secret) throws Exception {
    configured("[{'hostnqn': '%s', 'dhchap_key': '%s'}]".formatted(NAME, secret));
    assertInvalid("config.json: dhchap_key of host " + NAME);
  }

  @Test
  void damagedFileIsNamedButNotQuoted() throws Exception {
    configured("[{'hostnqn': '%s', \n 'dhchap_key': '%s' s3cret".formatted(NAME, OWN));
    assertInvalid("config.json: no JSON at line 2");
    configured("{'hostnqn': '%s'}".formatted(NAME));
    assertInvalid("config.json: no list of hosts");
  }

  private void assertInvalid(String words) {
    assertThatThrownBy(this::secretsOfFilms)
        .hasMessageContaining(words)
        .hasMessageNotContaining("s3cret")
        .isInstanceOfSatisfying(
            StorageException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID));
  }
}
