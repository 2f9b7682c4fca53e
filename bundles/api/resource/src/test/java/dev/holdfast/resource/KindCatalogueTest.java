package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.internal.InstalledKinds;
import java.util.List;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

class KindCatalogueTest {
  private static ResourceKind<Setting> kind(String name, String plural) {
    return new ResourceKind<>(name, plural, List.of(), Setting.class, "For a test.", List.of());
  }

  private static KindProvider provider(ResourceKind<?>... kinds) {
    return () -> List.of(kinds);
  }

  @Test
  void kindsOfThePlatformAreFoundOutsideTheContainer() {
    assertThat(KindCatalogue.load().kinds())
        .extracting(ResourceKind::kind)
        .containsExactly(
            "Node",
            "Volume",
            "Engine",
            "Replica",
            "VolumeAttachment",
            "Snapshot",
            "Setting",
            "Event",
            "Lease",
            "EngineRecord",
            "DeletedVolume");
  }

  @Test
  void kindIsFoundByItsName() {
    assertThat(KindCatalogue.load().named("Setting")).contains(Setting.KIND);
    assertThat(KindCatalogue.load().named("settings")).isEmpty();
  }

  @Test
  void firstOfTwoKindsWithTheSameNameIsUsed() {
    ResourceKind<Setting> first = kind("Backup", "backups");
    KindCatalogue catalogue =
        KindCatalogue.of(List.of(provider(first), provider(kind("Backup", "copies"))));

    assertThat(catalogue.kinds()).isEqualTo(List.of(first));
  }

  @Test
  void kindsComeAndGoWithTheirProviders() {
    InstalledKinds installed = new InstalledKinds();
    KindProvider platform = ServiceLoader.load(KindProvider.class).findFirst().orElseThrow();
    KindProvider backups = provider(kind("Backup", "backups"));

    installed.addProvider(platform);
    assertThat(installed.named("Backup")).isEmpty();
    installed.addProvider(backups);
    assertThat(installed.named("Backup")).isPresent();
    assertThat(installed.kinds()).isSameAs(installed.kinds());
    installed.removeProvider(backups);

    assertThat(installed.kinds()).isEqualTo(platform.kinds());
  }

  @Test
  void kindOfTheBundleThatStaysIsUsedWhenTheOtherGoes() {
    InstalledKinds installed = new InstalledKinds();
    KindProvider old = provider(kind("Backup", "backups"));
    KindProvider recent = provider(kind("Backup", "backups"));

    installed.addProvider(old);
    installed.addProvider(recent);
    installed.removeProvider(old);

    assertThat(installed.kinds()).hasSize(1).first().isSameAs(recent.kinds().get(0));
  }
}
