package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingStatus;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.resource.volume.VolumeState;
import java.time.Instant;
import java.time.temporal.ChronoField;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * Fields that the store sets: uid, versions, generation and timestamps; and the separation of
 * status and spec.
 */
abstract class MetadataTopic extends StoreTopic {
  private static final Instant LONG_AGO = Instant.parse("2001-01-01T00:00:00Z");

  MetadataTopic(ResourceStoreKit kit) {
    super(kit);
  }

  @Test
  final void createSetsTheFieldsOfTheStore() throws Exception {
    ObjectMeta forged =
        ObjectMeta.named("a")
            .withUid("mine")
            .withResourceVersion("77")
            .withGeneration(9)
            .withCreationTimestamp(Optional.of(LONG_AGO))
            .withDeletionTimestamp(Optional.of(LONG_AGO));

    ObjectMeta created = store.create(setting("a", "1").withMetadata(forged)).metadata();

    assertThat(created.uid()).isNotEmpty().isNotEqualTo("mine");
    assertThat(created.generation()).isEqualTo(1);
    assertThat(created.resourceVersion()).matches("[1-9][0-9]*");
    assertThat(created.creationTimestamp()).isPresent().isNotEqualTo(Optional.of(LONG_AGO));
    assertThat(created.creationTimestamp().get().get(ChronoField.NANO_OF_SECOND)).isZero();
    assertThat(created.deletionTimestamp()).isEmpty();
  }

  @Test
  final void createKeepsTheGivenStatus() throws Exception {
    Volume wanted = volume("data");
    Volume created =
        store.create(wanted.withStatus(wanted.status().withState(VolumeState.DETACHED)));

    assertThat(created.status().state()).isEqualTo(VolumeState.DETACHED);
  }

  @Test
  final void updateKeepsTheFieldsOfTheStore() throws Exception {
    Setting created = store.create(setting("a", "1"));
    ObjectMeta forged =
        created
            .metadata()
            .withUid("")
            .withGeneration(9)
            .withCreationTimestamp(Optional.of(LONG_AGO))
            .withDeletionTimestamp(Optional.of(LONG_AGO))
            .withLabels(Map.of("app", "x"));

    ObjectMeta updated = store.update(created.withMetadata(forged)).metadata();

    assertThat(updated)
        .isEqualTo(
            created
                .metadata()
                .withLabels(Map.of("app", "x"))
                .withResourceVersion(updated.resourceVersion()));
  }

  @Test
  final void aChangedSpecRaisesTheGeneration() throws Exception {
    Setting created = store.create(setting("a", "1"));

    Setting updated = store.update(created.withSpec(setting("a", "2").spec()));

    assertThat(updated.metadata().generation()).isEqualTo(2);
    assertThat(version(updated)).isGreaterThan(version(created));
  }

  @Test
  final void otherChangesKeepTheGeneration() throws Exception {
    Setting created = store.create(setting("a", "1"));

    Setting labelled =
        store.update(created.withMetadata(created.metadata().withLabels(Map.of("app", "x"))));
    Setting observed =
        store.updateStatus(labelled.withStatus(SettingStatus.EMPTY.withApplied(true)));

    assertThat(labelled.metadata().generation()).isEqualTo(1);
    assertThat(observed.metadata().generation()).isEqualTo(1);
    assertThat(version(observed)).isGreaterThan(version(labelled));
    assertThat(version(labelled)).isGreaterThan(version(created));
  }

  @Test
  final void anUpdateWithoutAChangeKeepsTheVersion() throws Exception {
    Setting created = store.create(setting("a", "1"));

    assertThat(store.update(created)).isEqualTo(created);
    assertThat(store.updateStatus(created)).isEqualTo(created);
    assertThat(store.get(Setting.KIND, "a")).contains(created);
  }

  @Test
  final void updateIgnoresTheStatus() throws Exception {
    Setting created = store.create(setting("a", "1"));

    Setting updated =
        store.update(
            created
                .withSpec(setting("a", "2").spec())
                .withStatus(SettingStatus.EMPTY.withApplied(true)));

    assertThat(updated.status().applied()).isFalse();
    assertThat(updated.spec().value()).isEqualTo("2");
  }

  @Test
  final void updateStatusIgnoresEverythingElse() throws Exception {
    Setting created = store.create(setting("a", "1"));

    Setting updated =
        store.updateStatus(
            created
                .withMetadata(created.metadata().withLabels(Map.of("app", "x")))
                .withSpec(setting("a", "2").spec())
                .withStatus(SettingStatus.EMPTY.withApplied(true)));

    assertThat(updated.status().applied()).isTrue();
    assertThat(updated.spec().value()).isEqualTo("1");
    assertThat(updated.metadata().labels()).isEmpty();
  }

  @Test
  final void versionsGrowAcrossAllKinds() throws Exception {
    List<Long> versions = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      Setting setting = store.create(setting("s" + i, "1"));
      versions.add(version(setting));
      versions.add(version(store.create(volume("v" + i))));
      versions.add(version(store.update(setting.withSpec(setting("s", "2").spec()))));
    }

    assertThat(versions).isSorted().doesNotHaveDuplicates();
  }

  @Test
  final void aResourceCreatedAgainIsAnother() throws Exception {
    Setting first = store.create(setting("a", "1"));
    store.delete(Setting.KIND, "a", "");
    Setting second = store.create(setting("a", "1"));

    assertThat(second.metadata().uid()).isNotEqualTo(first.metadata().uid());
    assertThat(version(second)).isGreaterThan(version(first));
    assertThat(second.metadata().generation()).isEqualTo(1);
  }
}
