package dev.holdfast.controller.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.resource.ObjectMeta;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.cluster.SettingSpec;
import dev.holdfast.store.WatchEvent;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MirrorTest {
  private final Mirror<Setting> mirror = new Mirror<>();

  private static Setting setting(String version) {
    return Setting.of("a", new SettingSpec(version))
        .withMetadata(ObjectMeta.named("a").withUid("u").withResourceVersion(version));
  }

  private static WatchEvent<Setting> modified(String version) {
    return new WatchEvent<>(WatchEvent.Type.MODIFIED, setting(version));
  }

  private void listed(String... versions) {
    Mirror.Listing listing = mirror.beginListing();
    assertThat(
            mirror.replace(List.of(versions).stream().map(MirrorTest::setting).toList(), listing))
        .isPresent();
  }

  private Optional<String> shown() {
    return mirror.get("a").map(setting -> setting.spec().value());
  }

  private void write(String base, String result) {
    mirror.wrote(mirror.beginWrite("a", base), setting(result));
  }

  @Test
  void anOwnWriteIsShownAtOnceAndOlderEventsArePassedOver() {
    listed("1");
    write("3", "4");
    assertThat(shown()).contains("4");
    mirror.apply(modified("2"));
    mirror.apply(modified("3"));
    assertThat(shown()).contains("4");
    mirror.apply(modified("4"));
    mirror.apply(modified("5"));
    assertThat(shown()).contains("5");
  }

  @Test
  void anEventThatOvertookTheAnswerOfAWriteIsNotUndone() {
    listed("1");
    Mirror.Write write = mirror.beginWrite("a", "1");
    mirror.apply(modified("2"));
    mirror.apply(modified("3"));
    mirror.wrote(write, setting("2"));
    assertThat(shown()).contains("3");
    mirror.apply(modified("4"));
    assertThat(shown()).contains("4");
  }

  @Test
  void aWriteThatChangedNothingWaitsForNoEvent() {
    listed("1");
    write("1", "1");
    mirror.apply(modified("2"));
    assertThat(shown()).contains("2");
  }

  @Test
  void aRemovalIsShownAtOnceAndNotUndoneByOlderEvents() {
    listed("1");
    mirror.removed(mirror.beginWrite("a", "1"), "u");
    mirror.apply(modified("2"));
    assertThat(shown()).isEmpty();
    mirror.apply(new WatchEvent<>(WatchEvent.Type.DELETED, setting("3")));
    mirror.apply(new WatchEvent<>(WatchEvent.Type.ADDED, setting("4")));
    assertThat(shown()).contains("4");
  }

  @Test
  void aListThatWasReadBeforeAWriteDoesNotUndoIt() {
    listed("1");
    Mirror.Listing listing = mirror.beginListing();
    write("1", "2");
    assertThat(mirror.replace(List.of(setting("1")), listing)).isPresent();
    assertThat(shown()).contains("2");
    mirror.apply(modified("2"));
    mirror.apply(modified("3"));
    assertThat(shown()).contains("3");
  }

  @Test
  void aListThatWasReadAfterAWriteEndsTheWaitForItsEvent() {
    listed("1");
    Mirror.Listing listing = mirror.beginListing();
    write("1", "2");
    assertThat(mirror.replace(List.of(setting("2")), listing)).isPresent();
    mirror.apply(modified("3"));
    assertThat(shown()).contains("3");
  }

  @Test
  void aListThatMayBeOlderOrLaterThanAWriteIsNotUsed() {
    listed("1");
    Mirror.Listing listing = mirror.beginListing();
    write("2", "3");
    assertThat(mirror.replace(List.of(setting("7")), listing)).isEmpty();
    assertThat(shown()).contains("3");
  }
}
