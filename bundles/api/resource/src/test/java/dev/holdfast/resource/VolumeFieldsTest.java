package dev.holdfast.resource;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.volume.DeletionCondition;
import dev.holdfast.resource.volume.SalvageRequest;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeSpec;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Rules on the replica fields and on the size of a volume. */
class VolumeFieldsTest {
  private static Volume volume(String size) {
    return Volume.of("v", VolumeSpec.EMPTY.withSize(Quantity.parse(size)));
  }

  private static Volume with(Volume volume, String achieved) {
    return volume.withStatus(volume.status().withCurrentSize(Quantity.parse(achieved)));
  }

  @ParameterizedTest(name = "from {0}, of which the device has {1}, to {2}: {3}")
  @CsvSource({
    "1Gi, 1Gi, 2Gi, allowed",
    "1Gi, 0, 2Gi, allowed",
    "2Gi, 1Gi, 1Gi, allowed",
    "3Gi, 1Gi, 2Gi, allowed",
    "2Gi, 2Gi, 1Gi, refused",
    "2Gi, 0, 1Gi, refused",
    "3Gi, 2Gi, 1Gi, refused",
  })
  void anExpansionCanBeTakenBackOnlyWhileTheDeviceDoesNotHaveIt(
      String from, String achieved, String to, String outcome) {
    List<FieldError> errors = volume(to).validateChange(with(volume(from), achieved));
    assertThat(errors.isEmpty()).isEqualTo(outcome.equals("allowed"));
    assertThat(errors).allMatch(error -> error.field().equals("spec.size"));
  }

  @Test
  void aWitnessNeedsExactlyTwoReplicasAndStays() {
    Volume three = volume("1Gi").withSpec(volume("1Gi").spec().withWitness(true));
    assertThat(three.validate()).extracting(FieldError::field).contains("spec.numberOfReplicas");
    Volume two = three.withSpec(three.spec().withNumberOfReplicas(2));
    assertThat(two.validate()).isEmpty();
    assertThat(two.withSpec(two.spec().withWitness(false)).validateChange(two))
        .extracting(FieldError::field)
        .containsExactly("spec.witness");
  }

  @Test
  void aSalvageNamesReplicasAndIsToldApart() {
    VolumeSpec spec = volume("1Gi").spec();
    assertThat(
            volume("1Gi")
                .withSpec(spec.withSalvage(new SalvageRequest("", List.of("r1"))))
                .validate())
        .extracting(FieldError::field)
        .containsExactly("spec.salvage.id");
    assertThat(
            volume("1Gi").withSpec(spec.withSalvage(new SalvageRequest("1", List.of()))).validate())
        .extracting(FieldError::field)
        .containsExactly("spec.salvage.id");
    assertThat(
            volume("1Gi")
                .withSpec(spec.withSalvage(new SalvageRequest("1", List.of("r1"))))
                .validate())
        .isEmpty();
  }

  @ParameterizedTest
  @EnumSource(SettingOverride.class)
  void aVolumesOwnWordGoesBeforeTheSetting(SettingOverride override) {
    for (boolean setting : new boolean[] {true, false}) {
      boolean expected =
          override == SettingOverride.IGNORED ? setting : override == SettingOverride.ENABLED;
      assertThat(override.over(setting)).isEqualTo(expected);
    }
  }

  @Test
  void aDeletionThatHasBegunCannotBeTakenBack() {
    Volume kept = volume("1Gi");
    Volume marked = kept.withSpec(kept.spec().withDeleteWhenDetached(true));
    assertThat(kept.validateChange(marked)).isEmpty();
    Condition begun =
        new Condition(
            DeletionCondition.TYPE,
            Condition.Status.TRUE,
            DeletionCondition.DETACHED,
            "",
            Instant.EPOCH);
    Volume going = marked.withStatus(marked.status().withConditions(List.of(begun)));
    assertThat(kept.validateChange(going))
        .extracting(FieldError::field)
        .containsExactly("spec.deleteWhenDetached");
  }
}
