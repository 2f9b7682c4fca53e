package dev.holdfast.snapshot.internal;

import dev.holdfast.error.StorageException;
import dev.holdfast.resource.cluster.PlatformSettings;
import dev.holdfast.resource.cluster.Setting;
import dev.holdfast.resource.volume.SettingOverride;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps filesystems frozen while snapshots are taken, if that is enabled. A failed freeze does not
 * fail the snapshot, but is kept for a report. Thread-safe.
 */
public final class FreezeSession {
  /** Longest duration of a freeze. */
  static final Duration FREEZING = FilesystemFreezer.Limits.DEFAULT.freezing();

  private static final Logger LOG = LoggerFactory.getLogger(FreezeSession.class);

  private final Freezer freezer;
  // Guarded by itself.
  private final Map<String, List<String>> findings = new HashMap<>();

  /** Freezes the mounted filesystems of a volume; returns empty if none is mounted on this node. */
  @FunctionalInterface
  public interface Freezer {
    Optional<FilesystemFreezer.Frozen> freeze(String volume) throws StorageException;
  }

  FreezeSession(Freezer freezer) {
    this.freezer = freezer;
  }

  /**
   * Prepares to take a snapshot. Reads the rule of the volume now, because a change by the user
   * before the request for the snapshot must have an effect.
   *
   * @param shown whether hosts can use the volume; otherwise it is not mounted
   * @throws StorageException if the volume or the setting cannot be read
   */
  Attempt attempt(String volume, boolean shown, ResourceStore store) throws StorageException {
    SettingOverride own =
        store
            .get(Volume.KIND, volume)
            .map(found -> found.spec().freezeFilesystemForSnapshot())
            .orElse(SettingOverride.IGNORED);
    boolean wanted = shown && own.over(own == SettingOverride.IGNORED && setting(store));
    return new Attempt(volume, wanted, own == SettingOverride.ENABLED);
  }

  private static boolean setting(ResourceStore store) throws StorageException {
    return PlatformSettings.FREEZE_FILESYSTEM.isOn(
        store.get(Setting.KIND, PlatformSettings.FREEZE_FILESYSTEM.name()));
  }

  /** Returns the filesystems that were not frozen since the last call, for a report to users. */
  List<String> findings(String volume) {
    synchronized (findings) {
      return Optional.ofNullable(findings.remove(volume)).orElse(List.of());
    }
  }

  private void note(String volume, String why) {
    LOG.warn("volume {}: could not freeze its filesystem for a snapshot: {}", volume, why);
    synchronized (findings) {
      findings.computeIfAbsent(volume, name -> new ArrayList<>()).add(why);
    }
  }

  /** The freeze around one snapshot. For one thread. The caller closes it. */
  final class Attempt implements GroupSnapshotBarrier.Freeze, AutoCloseable {
    private final String volume;
    private final boolean wanted;
    private final boolean demanded;
    private Optional<FilesystemFreezer.Frozen> frozen = Optional.empty();

    private Attempt(String volume, boolean wanted, boolean demanded) {
      this.volume = volume;
      this.wanted = wanted;
      this.demanded = demanded;
    }

    /** Freezes, if that is enabled. The volume's requests must not be held. */
    @Override
    public void freeze() {
      if (!wanted) {
        return;
      }
      try {
        frozen = freezer.freeze(volume);
        if (frozen.isEmpty() && demanded) {
          note(volume, "no filesystem of it is mounted on the node of its engine");
        }
      } catch (StorageException e) {
        note(volume, e.getMessage());
      }
    }

    /** Thaws. Returns whether all filesystems were frozen until now. */
    @Override
    public boolean thaw() {
      Optional<FilesystemFreezer.Frozen> ending = frozen;
      frozen = Optional.empty();
      Optional<String> trouble = ending.flatMap(FilesystemFreezer.Frozen::thaw);
      trouble.ifPresent(why -> note(volume, why));
      return ending.isPresent() && trouble.isEmpty();
    }

    /** Thaws filesystems that are still frozen. */
    @Override
    public void close() {
      thaw();
    }
  }
}
