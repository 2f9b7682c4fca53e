package dev.holdfast.commands;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingReport;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.resource.cluster.SettingStatus;
import dev.holdfast.store.ResourceList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SettingViewsTest {
  private static final Setting SCRUB =
      Setting.of("snapshot-scrub-interval", new SettingSpec("24"))
          .withStatus(
              SettingStatus.EMPTY
                  .withEffectiveValue("24")
                  .withDefaultValue("168")
                  .withNodes(
                      List.of(
                          SettingReport.EMPTY
                              .withNode("n1")
                              .withApplied(true)
                              .withReason("Applied")
                              .withEffectiveValue("24"),
                          SettingReport.EMPTY
                              .withNode("n2")
                              .withReason("DefinitionAbsent")
                              .withMessage("no bundle reads it"))));

  @Test
  void listShowsValueEffectiveValueAndDefault() {
    String text = new SettingViews().list(new ResourceList<>(List.of(SCRUB), "1")).text().get();
    assertThat(text.lines())
        .containsExactly(
            "NAME                      VALUE   EFFECTIVE   DEFAULT   APPLIED",
            "snapshot-scrub-interval   24      24          168       no");
  }

  @Test
  void explanationListsTheStateOfEachNode() {
    assertThat(new SettingViews().explanation(SCRUB).text().get().lines())
        .containsExactly(
            "snapshot-scrub-interval: The time between two comparisons of a snapshot with its"
                + " checksums; 0 for never.",
            "Allowed:   a whole number from 0 to 99999 (hours)",
            "Default:   168",
            "Value:     24",
            "In force:  24",
            "Node n1: Applied, 24",
            "Node n2: DefinitionAbsent, no bundle reads it");
  }

  @Test
  void wrongValueHasTheDefaultInForce() {
    Setting wrong = SCRUB.withSpec(new SettingSpec("often"));
    assertThat(new SettingViews().value(wrong).text().get()).isEqualTo("168");
  }

  @Test
  void changeNamesTheDefaultThatIsInForceAgain() {
    assertThat(new SettingViews().changed(SCRUB.withSpec(SettingSpec.EMPTY)).text().get())
        .startsWith("setting snapshot-scrub-interval has its default 168: ");
  }
}
