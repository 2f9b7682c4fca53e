package dev.holdfast.attachment.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.attacher.AttacherProvider;
import dev.holdfast.attacher.AttacherProvider.Role;
import dev.holdfast.attacher.api.internal.ApiAttacher;
import dev.holdfast.attacher.csi.internal.CsiAttacher;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Compares all ticket types, and an urgent interruptible one, with each other. */
class SelectionTest {
  private static final List<AttacherProvider> TYPES = List.copyOf(Case.TYPES.values());

  private static String frontend(AttacherProvider type) {
    return switch (type.name()) {
      case "volume-restore-controller" -> "true";
      case "api", "csi-attacher", "share-manager-controller", "volume-expansion-controller" ->
          "false";
      default -> "any";
    };
  }

  private static Stream<DynamicTest> pairs(
      java.util.function.BiConsumer<AttacherProvider, AttacherProvider> test) {
    return TYPES.stream()
        .flatMap(
            one ->
                TYPES.stream()
                    .filter(other -> !other.name().equals(one.name()))
                    .map(
                        other ->
                            DynamicTest.dynamicTest(
                                one.name() + ", " + other.name(), () -> test.accept(one, other))));
  }

  @TestFactory
  Stream<DynamicTest> detachedVolumeIsAttachedForTheHigherPriorityAndThenTheShorterId() {
    return pairs(
        (one, other) -> {
          boolean first =
              one.priority() > other.priority() ? !givesWay(one, other) : givesWay(other, one);
          Case.Outcome outcome =
              Case.detached()
                  .ticket("longer", one.name(), "n1", frontend(one))
                  .ticket("short", other.name(), "n2", frontend(other))
                  .decide();
          assertThat(outcome.node()).isEqualTo(first ? "n1" : "n2");
          assertThat(outcome.frontendDisabled())
              .isEqualTo((first ? one : other).name().equals("volume-restore-controller"));
        });
  }

  private static boolean givesWay(AttacherProvider one, AttacherProvider other) {
    return one.role() == Role.INTERRUPTIBLE && other.role() == Role.WORKLOAD;
  }

  @TestFactory
  Stream<DynamicTest> onlyAWorkloadElsewhereTakesAVolumeFromInterruptibleMaintenance() {
    return pairs(
        (holder, waiting) -> {
          boolean disabled = frontend(holder).equals("true");
          Case attached = disabled ? Case.attachedWithoutFrontend("n1") : Case.attached("n1");
          Case.Outcome outcome =
              attached
                  .ticket("holder", holder.name(), "n1", frontend(holder))
                  .ticket("waiting", waiting.name(), "n2", frontend(waiting))
                  .decide();
          boolean leaves = holder.role() == Role.INTERRUPTIBLE && waiting.role() == Role.WORKLOAD;
          assertThat(outcome.node()).isEqualTo(leaves ? "" : "n1");
          assertThat(outcome.of("waiting")).isEqualTo(leaves ? "Detaching" : "OtherNode");
        });
  }

  @Test
  void attacherBundlesDeclareThePropertiesOfTheTable() {
    for (AttacherProvider type : List.of(new ApiAttacher(), new CsiAttacher())) {
      assertThat(type.priority()).isEqualTo(Case.TYPES.get(type.name()).priority());
      assertThat(type.role()).isEqualTo(Case.TYPES.get(type.name()).role());
    }
  }
}
