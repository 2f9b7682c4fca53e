package dev.holdfast.engine.lvm.blobs.internal.lvm;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.type.TypeFactory;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads the reports of LVM: JSON in which every value is a text. */
final class LvmReports {
  static final String GROUP_FIELDS =
      "vg_name,vg_uuid,vg_size,vg_free,vg_extent_size,vg_lock_type,vg_missing_pv_count,"
          + "vg_exported,vg_tags";
  static final String VOLUME_FIELDS =
      "lv_name,lv_uuid,lv_size,lv_layout,pool_lv,lv_tags,lv_active,lv_kernel_major,"
          + "lv_kernel_minor,data_percent,lv_metadata_size,metadata_percent,"
          + "thin_id,lv_health_status";

  /** Fields of each volume, and in each row those of the group too. */
  static final String VIEW_FIELDS = VOLUME_FIELDS + "," + GROUP_FIELDS;

  static final String LOCK_FIELDS = "lv_uuid,lv_lockargs";

  // With a type factory of its own, the shared library keeps no class of this bundle.
  private static final ObjectMapper JSON =
      new ObjectMapper().setTypeFactory(TypeFactory.defaultInstance().withClassLoader(null));

  private LvmReports() {}

  /** Reads what vgs prints for {@link #GROUP_FIELDS}. */
  static List<GroupReport> groups(String output) throws StorageException {
    List<GroupReport> groups = new ArrayList<>();
    for (JsonNode row : rows(output, "vg")) {
      groups.add(group(row));
    }
    return groups;
  }

  private static GroupReport group(JsonNode row) throws StorageException {
    String lockType = text(row, "vg_lock_type");
    return new GroupReport(
        text(row, "vg_name"),
        text(row, "vg_uuid"),
        number(row, "vg_size"),
        number(row, "vg_free"),
        number(row, "vg_extent_size"),
        lockType.isEmpty() ? "none" : lockType,
        Math.toIntExact(number(row, "vg_missing_pv_count")),
        !text(row, "vg_exported").isEmpty(),
        tags(text(row, "vg_tags")));
  }

  /** Reads what lvs prints for {@link #VIEW_FIELDS}; empty when the group has no volume. */
  static Optional<GroupView> view(String output) throws StorageException {
    Map<String, LogicalVolume> volumes = new HashMap<>();
    GroupReport group = null;
    for (JsonNode row : rows(output, "lv")) {
      LogicalVolume volume = volume(row);
      volumes.put(volume.name(), volume);
      group = group(row);
    }
    return group == null ? Optional.empty() : Optional.of(new GroupView(group, volumes));
  }

  /** Reads what lvs prints for {@link #VOLUME_FIELDS}. */
  static List<LogicalVolume> volumes(String output) throws StorageException {
    List<LogicalVolume> volumes = new ArrayList<>();
    for (JsonNode row : rows(output, "lv")) {
      volumes.add(volume(row));
    }
    return volumes;
  }

  /**
   * Reads what lvs prints for {@link #LOCK_FIELDS}: the place of each volume's lock by its uuid.
   */
  static Map<String, String> lockArguments(String output) throws StorageException {
    Map<String, String> arguments = new HashMap<>();
    for (JsonNode row : rows(output, "lv")) {
      arguments.put(text(row, "lv_uuid"), text(row, "lv_lockargs"));
    }
    return arguments;
  }

  private static LogicalVolume volume(JsonNode row) throws StorageException {
    long size = number(row, "lv_size");
    long metadata = numberOrZero(row, "lv_metadata_size");
    boolean active = text(row, "lv_active").startsWith("active");
    return new LogicalVolume(
        text(row, "lv_name"),
        text(row, "lv_uuid"),
        size,
        text(row, "lv_layout"),
        text(row, "pool_lv"),
        tags(text(row, "lv_tags")),
        active,
        active ? number(row, "lv_kernel_major") + ":" + number(row, "lv_kernel_minor") : "",
        part(size, text(row, "data_percent")),
        metadata,
        part(metadata, text(row, "metadata_percent")),
        numberOrZero(row, "thin_id"),
        text(row, "lv_health_status"));
  }

  private static long numberOrZero(JsonNode row, String field) throws StorageException {
    return text(row, field).isEmpty() ? 0 : number(row, field);
  }

  private static Set<String> tags(String list) {
    return Arrays.stream(list.split(","))
        .filter(tag -> !tag.isEmpty())
        .collect(Collectors.toUnmodifiableSet());
  }

  private static long part(long size, String percent) throws StorageException {
    if (percent.isEmpty()) {
      return 0;
    }
    try {
      return BigDecimal.valueOf(size)
          .multiply(new BigDecimal(percent))
          .divide(BigDecimal.valueOf(100), 0, RoundingMode.HALF_UP)
          .longValueExact();
    } catch (ArithmeticException | NumberFormatException e) {
      throw unreadable("a percentage is \"" + percent + "\"", e);
    }
  }

  private static Iterable<JsonNode> rows(String output, String kind) throws StorageException {
    try {
      JsonNode rows = JSON.readTree(output).path("report").path(0).path(kind);
      if (!rows.isArray()) {
        throw unreadable("\"report\" has no list \"" + kind + "\"", null);
      }
      return rows;
    } catch (JsonProcessingException e) {
      throw unreadable("it is not JSON", e);
    }
  }

  private static String text(JsonNode row, String field) throws StorageException {
    JsonNode value = row.path(field);
    if (!value.isTextual()) {
      throw unreadable("\"" + field + "\" is missing", null);
    }
    return value.textValue();
  }

  private static long number(JsonNode row, String field) throws StorageException {
    String text = text(row, field);
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw unreadable(field + " is \"" + text + "\"", e);
    }
  }

  private static StorageException unreadable(String why, Exception cause) {
    return new StorageException(
        ErrorCode.INTERNAL,
        "LVM's report cannot be read: " + why + ": install lvm2 2.03.16",
        cause);
  }
}
