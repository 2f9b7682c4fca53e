package dev.holdfast.snapshot.internal;

import dev.holdfast.engine.ScrubOptions;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.Quantity;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.Optional;

/**
 * When snapshots are compared with their checksums without being asked, and how fast. A setting
 * that says nothing that makes sense has its default.
 *
 * @param interval between two comparisons of a snapshot; zero for never
 * @param options how fast
 */
record ScrubSettings(Duration interval, ScrubOptions options) {
  static final String INTERVAL = "snapshot-scrub-interval";
  static final String LIMIT = "snapshot-scrub-bytes-per-second";
  static final ScrubSettings DEFAULT =
      new ScrubSettings(Duration.ofDays(7), new ScrubOptions(100L << 20));

  private static final int MOST_DIGITS = 5;

  static ScrubSettings of(ResourceStore store) throws StorageException {
    return of(text(store, INTERVAL), text(store, LIMIT));
  }

  private static Optional<String> text(ResourceStore store, String name) throws StorageException {
    return store.get(Setting.KIND, name).map(setting -> setting.spec().value().strip());
  }

  static ScrubSettings of(Optional<String> hours, Optional<String> bytesPerSecond) {
    return new ScrubSettings(
        hours
            .filter(text -> text.matches("\\d{1," + MOST_DIGITS + "}"))
            .map(text -> Duration.ofHours(Long.parseLong(text)))
            .orElse(DEFAULT.interval),
        bytesPerSecond.flatMap(ScrubSettings::limit).orElse(DEFAULT.options));
  }

  private static Optional<ScrubOptions> limit(String text) {
    try {
      return Optional.of(new ScrubOptions(Quantity.parse(text).bytes()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
