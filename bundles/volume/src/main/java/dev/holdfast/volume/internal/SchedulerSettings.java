package dev.holdfast.volume.internal;

import dev.holdfast.resource.Setting;
import java.util.List;

/**
 * Settings of the scheduler, by Longhorn's names.
 *
 * @param nodeSoftAntiAffinity whether two replicas of a volume may be on one node
 * @param diskSoftAntiAffinity whether two replicas of a volume may be on one disk
 * @param overProvisioningPercentage how much may be promised of a disk's space
 * @param minimalAvailablePercentage how much of a disk must be free for it to get a replica
 */
record SchedulerSettings(
    boolean nodeSoftAntiAffinity,
    boolean diskSoftAntiAffinity,
    int overProvisioningPercentage,
    int minimalAvailablePercentage) {
  /** In force where nothing is set; node anti-affinity is soft so that one machine will do. */
  static final SchedulerSettings DEFAULT = new SchedulerSettings(true, false, 200, 10);

  private static final int MOST_OVER_PROVISIONING = 10_000;

  static SchedulerSettings of(List<Setting> settings) {
    return new SchedulerSettings(
        flag(settings, "replica-soft-anti-affinity", DEFAULT.nodeSoftAntiAffinity),
        flag(settings, "replica-disk-soft-anti-affinity", DEFAULT.diskSoftAntiAffinity),
        percentage(
            settings,
            "storage-over-provisioning-percentage",
            DEFAULT.overProvisioningPercentage,
            MOST_OVER_PROVISIONING),
        percentage(
            settings,
            "storage-minimal-available-percentage",
            DEFAULT.minimalAvailablePercentage,
            100));
  }

  private static String value(List<Setting> settings, String name) {
    return settings.stream()
        .filter(setting -> setting.name().equals(name))
        .map(setting -> setting.spec().value().strip())
        .findFirst()
        .orElse("");
  }

  private static boolean flag(List<Setting> settings, String name, boolean fallback) {
    return switch (value(settings, name)) {
      case "true" -> true;
      case "false" -> false;
      default -> fallback;
    };
  }

  private static int percentage(List<Setting> settings, String name, int fallback, int most) {
    String value = value(settings, name);
    return value.matches("\\d{1,5}") ? Math.min(Integer.parseInt(value), most) : fallback;
  }
}
