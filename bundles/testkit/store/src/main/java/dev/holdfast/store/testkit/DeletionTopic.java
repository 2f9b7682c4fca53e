package dev.holdfast.store.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingStatus;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Finalizers, deletion timestamps and uid preconditions. */
abstract class DeletionTopic extends StoreTopic {
  DeletionTopic(ResourceStoreKit kit) {
    super(kit);
  }

  private Setting createWithFinalizers(String... finalizers) throws Exception {
    Setting wanted = setting("a", "1");
    return store.create(wanted.withMetadata(wanted.metadata().withFinalizers(List.of(finalizers))));
  }

  private static Setting withFinalizers(Setting setting, String... finalizers) {
    return setting.withMetadata(setting.metadata().withFinalizers(List.of(finalizers)));
  }

  @Test
  final void resourceWithoutFinalizersIsDeletedAtOnce() throws Exception {
    store.create(setting("a", "1"));

    assertThat(store.delete(Setting.KIND, "a", "")).isEmpty();
    assertThat(store.get(Setting.KIND, "a")).isEmpty();
  }

  @Test
  final void finalizersKeepTheResource() throws Exception {
    Setting created = createWithFinalizers("holdfast.dev/a");

    Optional<Setting> deleting = store.delete(Setting.KIND, "a", created.metadata().uid());

    assertThat(deleting).isPresent().isEqualTo(store.get(Setting.KIND, "a"));
    assertThat(deleting.get().isBeingDeleted()).isTrue();
    assertThat(version(deleting.get())).isGreaterThan(version(created));
  }

  @Test
  final void deletingAgainChangesNothing() throws Exception {
    createWithFinalizers("holdfast.dev/a");
    Optional<Setting> first = store.delete(Setting.KIND, "a", "");

    assertThat(store.delete(Setting.KIND, "a", "")).isEqualTo(first);
    assertThat(store.get(Setting.KIND, "a")).isEqualTo(first);
  }

  @Test
  final void theLastFinalizerTakesTheResourceWithIt() throws Exception {
    createWithFinalizers("holdfast.dev/a", "holdfast.dev/b");
    Setting deleting = store.delete(Setting.KIND, "a", "").orElseThrow();

    Setting one = store.update(withFinalizers(deleting, "holdfast.dev/b"));
    assertThat(store.get(Setting.KIND, "a")).contains(one);
    Setting last = store.update(withFinalizers(one));

    assertThat(store.get(Setting.KIND, "a")).isEmpty();
    assertThat(version(last)).isGreaterThan(version(one));
  }

  @Test
  final void removingFinalizersWithoutDeletionKeepsTheResource() throws Exception {
    Setting created = createWithFinalizers("holdfast.dev/a");

    Setting updated = store.update(withFinalizers(created));

    assertThat(store.get(Setting.KIND, "a")).contains(updated);
  }

  @Test
  final void noFinalizerIsAddedDuringDeletion() throws Exception {
    createWithFinalizers("holdfast.dev/a");
    Setting deleting = store.delete(Setting.KIND, "a", "").orElseThrow();

    assertFails(
        ErrorCode.INVALID,
        () -> store.update(withFinalizers(deleting, "holdfast.dev/a", "holdfast.dev/late")));
  }

  @Test
  final void specAndStatusMayChangeDuringDeletion() throws Exception {
    createWithFinalizers("holdfast.dev/a");
    Setting deleting = store.delete(Setting.KIND, "a", "").orElseThrow();

    Setting updated = store.update(deleting.withSpec(setting("a", "2").spec()));
    Setting observed =
        store.updateStatus(updated.withStatus(SettingStatus.EMPTY.withApplied(true)));

    assertThat(observed.isBeingDeleted()).isTrue();
    assertThat(observed.spec().value()).isEqualTo("2");
    assertThat(observed.status().applied()).isTrue();
  }

  @Test
  final void theUidGuardsANewResourceOfTheSameName() throws Exception {
    Setting first = store.create(setting("a", "1"));
    store.delete(Setting.KIND, "a", first.metadata().uid());
    Setting second = store.create(setting("a", "1"));

    assertFails(ErrorCode.CONFLICT, () -> store.delete(Setting.KIND, "a", first.metadata().uid()));
    assertFails(ErrorCode.CONFLICT, () -> store.update(withUid(second, first.metadata().uid())));

    assertThat(store.get(Setting.KIND, "a")).contains(second);
  }
}
