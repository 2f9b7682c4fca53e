package dev.holdfast.lvm.testkit;

import dev.holdfast.lvm.testkit.SimulatedGroup.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Reports of vgs and lvs in a simulation. Guarded by the monitor of the group. */
final class SimulatedReports {
  private SimulatedReports() {}

  static String group(SimulatedGroup group, List<String> words) {
    boolean asked = words.contains("--select=vg_name=\"" + SimulatedLvm.GROUP + "\"");
    String row = "{" + fields(group) + "}";
    return "{\"report\":[{\"vg\":[" + (asked ? row : "") + "]}]}";
  }

  private static String fields(SimulatedGroup group) {
    return """
        "vg_name":"%s","vg_uuid":"%s","vg_size":"%d","vg_free":"%d","vg_extent_size":"%d",
         "vg_lock_type":"%s","vg_missing_pv_count":"0","vg_exported":"","vg_tags":"%s\""""
        .formatted(
            SimulatedLvm.GROUP,
            group.uuid,
            SimulatedLvm.SIZE,
            group.free(),
            group.extent,
            group.lockType,
            String.join(",", group.tags));
  }

  static String volumes(SimulatedLvm host) {
    List<String> rows = new ArrayList<>();
    host.group().volumes.forEach((name, volume) -> rows.add(row(host, name, volume)));
    return "{\"report\":[{\"lv\":[" + String.join(",", rows) + "]}]}";
  }

  private static String row(SimulatedLvm host, String name, Volume volume) {
    String[] number = volume.numbers.getOrDefault(host, "-1:-1").split(":", -1);
    return """
        {"lv_name":"%s","lv_uuid":"%s","lv_size":"%d","lv_layout":"%s","pool_lv":"%s",
         "lv_tags":"%s","lv_active":"%s","lv_kernel_major":"%s","lv_kernel_minor":"%s",
         "data_percent":"%s","lv_metadata_size":"%s","metadata_percent":"%s",
         "thin_id":"%s","lv_health_status":"%s",%s}"""
        .formatted(
            name,
            volume.uuid,
            volume.size,
            volume.layout,
            volume.pool,
            String.join(",", volume.tags),
            host.isActive(volume) && !volume.implied.contains(host) ? "active" : "",
            number[0],
            number[1],
            percent(host, volume, volume.used, volume.size),
            volume.metadata == 0 ? "" : Long.toString(volume.metadata),
            volume.metadata == 0 ? "" : percent(host, volume, volume.metadataUsed, volume.metadata),
            volume.pool.isEmpty() ? "" : Integer.toString(volume.thinId),
            health(host, volume),
            fields(host.group()));
  }

  private static String health(SimulatedLvm host, Volume volume) {
    if (!host.isActive(volume) || volume.metadata == 0) {
      return "";
    }
    if (volume.metadataUsed >= volume.metadata) {
      return "metadata_read_only";
    }
    return volume.used >= volume.size ? "out_of_data" : "";
  }

  private static String percent(SimulatedLvm host, Volume volume, long used, long size) {
    boolean known = host.isActive(volume) && !volume.layout.equals("linear");
    return known ? String.format(Locale.ROOT, "%.2f", 100.0 * used / size) : "";
  }
}
