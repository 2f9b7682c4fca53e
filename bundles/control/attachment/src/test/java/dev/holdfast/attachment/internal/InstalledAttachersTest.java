package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.upgrade.BundleTrouble;
import dev.holdfast.upgrade.PluginOrigin;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The attacher that is used if several bundles offer one name. */
class InstalledAttachersTest {
  private static final Attacher FIRST = new Attacher("backup", 1, "dev.example.first", "1.0.0");
  private static final Attacher UPDATED = new Attacher("backup", 1, "dev.example.first", "1.1.0");
  private static final Attacher OTHER = new Attacher("backup", 2, "dev.example.other", "9.0.0");
  private static final Attacher API = new Attacher("api", 3, "dev.holdfast.attacher.api", "0.3.0");
  private static final Attacher FOREIGN = new Attacher("api", 4, "dev.example.api", "9.0.0");

  private final InstalledAttachers attachers =
      new InstalledAttachers(type -> ((Attacher) type).origin(), symbolicName -> true);

  private record Attacher(String name, PluginOrigin origin) implements AttacherProvider {
    Attacher(String name, long bundle, String symbolicName, String version) {
      this(name, new PluginOrigin(bundle, symbolicName, version));
    }

    @Override
    public int priority() {
      return 0;
    }

    @Override
    public Role role() {
      return Role.WORKLOAD;
    }
  }

  @Test
  void laterAttacherOfAnotherBundleIsRefused() {
    assertThat(attachers.byName(List.of(FIRST))).containsValue(FIRST);
    assertThat(attachers.byName(List.of(FIRST, OTHER))).containsOnlyKeys("backup");

    assertThat(attachers.byName(List.of(OTHER, FIRST))).containsEntry("backup", FIRST);
    assertThat(attachers.troubles())
        .singleElement()
        .satisfies(
            trouble -> {
              assertThat(trouble.kind()).isEqualTo(BundleTrouble.Kind.DUPLICATE_NAME);
              assertThat(trouble.bundle()).isEqualTo(2);
              assertThat(trouble.message()).contains("attacher backup", "dev.example.first");
            });

    assertThat(attachers.byName(List.of(FIRST))).containsEntry("backup", FIRST);
    assertThat(attachers.troubles()).isEmpty();
  }

  @Test
  void nameStaysWithItsBundleWhileThatIsUpdated() {
    attachers.byName(List.of(FIRST, OTHER));

    assertThat(attachers.byName(List.of(OTHER))).isEmpty();
    assertThat(attachers.byName(List.of(OTHER, UPDATED))).containsEntry("backup", UPDATED);
  }

  @Test
  void attacherThatCallsItselfApiIsRefusedEvenIfItStartsFirst() {
    assertThat(attachers.byName(List.of(FOREIGN))).containsEntry("api", FOREIGN);

    assertThat(attachers.byName(List.of(FOREIGN, API))).containsEntry("api", API);
    assertThat(attachers.troubles()).extracting(BundleTrouble::bundle).containsExactly(4L);
  }
}
