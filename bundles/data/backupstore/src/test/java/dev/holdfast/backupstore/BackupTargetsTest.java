package dev.holdfast.backupstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.backuptarget.BackupTargetProvider;
import dev.holdfast.backuptarget.CredentialKey;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.backuptarget.testkit.MemoryObjectStore;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A target is opened by the plugin of its scheme, with the credentials that this one reads. */
class BackupTargetsTest {
  private final Map<String, String> received = new HashMap<>();

  /** Offers some schemes and reads one key. */
  private final class Provider implements BackupTargetProvider {
    private final List<String> schemes;

    Provider(String... schemes) {
      this.schemes = List.of(schemes);
    }

    @Override
    public List<String> schemes() {
      return schemes;
    }

    @Override
    public List<CredentialKey> credentials() {
      return List.of(
          new CredentialKey("KEY", true, "The key."),
          new CredentialKey("ZONE", false, "The zone."));
    }

    @Override
    public ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options) {
      credentials.forEach(
          (name, value) -> received.put(name, new String(value, StandardCharsets.UTF_8)));
      return new MemoryObjectStore(Clock.systemUTC());
    }
  }

  @Test
  void pluginOfTheSchemeGetsTheCredentialsThatItReads() throws Exception {
    BackupTargets targets = new BackupTargets(List.of(new Provider("a"), new Provider("b", "c")));
    List<String> asked = new ArrayList<>();

    targets
        .open(
            TargetUrl.parse("c://host/path"),
            name -> {
              asked.add(name);
              return name.equals("KEY") ? Optional.of("value") : Optional.empty();
            })
        .close();

    assertThat(asked).containsExactly("KEY", "ZONE");
    assertThat(received).containsExactly(Map.entry("KEY", "value"));
  }

  @Test
  void unknownSchemeIsRefusedWithThoseThatAreThere() {
    BackupTargets targets = new BackupTargets(List.of(new Provider("b", "a")));

    assertThatThrownBy(() -> targets.open(TargetUrl.parse("s4://x/"), name -> Optional.empty()))
        .hasMessage(
            "address: scheme \"s4\": no backup target of this kind is installed: use one of a, b");
    assertThatThrownBy(
            () ->
                new BackupTargets(List.of())
                    .open(TargetUrl.parse("s4://x/"), name -> Optional.empty()))
        .hasMessageContaining("no backup target is installed");
  }

  @Test
  void twoPluginsOfOneSchemeAreRefused() {
    BackupTargets targets = new BackupTargets(List.of(new Provider("a"), new Provider("a")));

    assertThatThrownBy(() -> targets.open(TargetUrl.parse("a:///x"), name -> Optional.empty()))
        .hasMessageContaining("scheme \"a\"")
        .hasMessageContaining(Provider.class.getName());
    assertThat(received).isEmpty();
  }
}
