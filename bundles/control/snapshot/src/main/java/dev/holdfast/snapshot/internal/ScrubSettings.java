package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.Optional;

/**
 * Interval and speed of comparisons of snapshots with their checksums without a request. A wrong
 * value has its default.
 *
 * @param interval between two comparisons of a snapshot; zero for never
 * @param options speed
 */
record ScrubSettings(Duration interval, ScrubOptions options) {
  static ScrubSettings of(ResourceStore store) throws StorageException {
    return of(
        store.get(Setting.KIND, PlatformSettings.SCRUB_INTERVAL.name()),
        store.get(Setting.KIND, PlatformSettings.SCRUB_RATE.name()));
  }

  static ScrubSettings of(Optional<Setting> hours, Optional<Setting> bytesPerSecond) {
    return new ScrubSettings(
        Duration.ofHours(PlatformSettings.SCRUB_INTERVAL.number(hours)),
        new ScrubOptions(PlatformSettings.SCRUB_RATE.bytes(bytesPerSecond)));
  }
}
