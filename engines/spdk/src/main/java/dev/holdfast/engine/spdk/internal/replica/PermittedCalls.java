package dev.holdfast.engine.spdk.internal.replica;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.engine.spdk.internal.calls.AttachedLeg;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Map;

/**
 * The calls of a target that an engine of another node may make, and the names in them. Each is
 * about volumes of one replica: another method, parameter or name is refused.
 */
final class PermittedCalls {
  /** Rule for the value of a parameter. */
  private enum Rule {
    /** The store of the replica. */
    STORE,
    /** A volume of the replica, without the store. */
    NAME,
    /** A volume of the replica, with the store. */
    ALIAS,
    /** The device of another node that it uses in a rebuild. */
    SOURCE,
    /** A value that names nothing. */
    VALUE
  }

  private static final Map<String, Map<String, Rule>> METHODS =
      Map.ofEntries(
          Map.entry("bdev_get_bdevs", Map.of("name", Rule.ALIAS)),
          Map.entry("bdev_lvol_get_lvols", Map.of("lvs_name", Rule.STORE)),
          Map.entry(
              "bdev_lvol_create",
              Map.of(
                  "lvs_name",
                  Rule.STORE,
                  "lvol_name",
                  Rule.NAME,
                  "size_in_mib",
                  Rule.VALUE,
                  "thin_provision",
                  Rule.VALUE,
                  "clear_method",
                  Rule.VALUE)),
          Map.entry(
              "bdev_lvol_snapshot", Map.of("lvol_name", Rule.ALIAS, "snapshot_name", Rule.NAME)),
          Map.entry(
              "bdev_lvol_clone", Map.of("snapshot_name", Rule.ALIAS, "clone_name", Rule.NAME)),
          Map.entry(
              "bdev_lvol_clone_bdev",
              Map.of("bdev", Rule.SOURCE, "lvs_name", Rule.STORE, "clone_name", Rule.NAME)),
          Map.entry("bdev_lvol_resize", Map.of("name", Rule.ALIAS, "size_in_mib", Rule.VALUE)),
          Map.entry("bdev_lvol_delete", Map.of("name", Rule.ALIAS)),
          Map.entry(
              "bdev_lvol_set_parent", Map.of("lvol_name", Rule.ALIAS, "parent_name", Rule.ALIAS)),
          Map.entry(
              "bdev_lvol_start_shallow_copy",
              Map.of("src_lvol_name", Rule.ALIAS, "dst_bdev_name", Rule.SOURCE)),
          Map.entry("bdev_lvol_check_shallow_copy", Map.of("operation_id", Rule.VALUE)),
          Map.entry(
              "bdev_set_qos_limit", Map.of("name", Rule.SOURCE, "w_mbytes_per_sec", Rule.VALUE)));

  private PermittedCalls() {}

  /**
   * Checks a call.
   *
   * @param place of the replica that it is about
   * @param identity of the replica
   * @throws StorageException FORBIDDEN, naming what is not permitted
   */
  static void require(LegPlace place, String identity, String method, ObjectNode params)
      throws StorageException {
    Map<String, Rule> rules = METHODS.get(method);
    if (rules == null) {
      throw refused(place, "method " + method);
    }
    for (Map.Entry<String, JsonNode> param : params.properties()) {
      Rule rule = rules.get(param.getKey());
      if (rule == null || !permits(place, identity, rule, param.getValue())) {
        throw refused(place, method + ": " + param.getKey() + " " + param.getValue());
      }
    }
    for (Map.Entry<String, Rule> rule : rules.entrySet()) {
      if (rule.getValue() != Rule.VALUE && !params.has(rule.getKey())) {
        throw refused(place, method + " without " + rule.getKey());
      }
    }
  }

  private static boolean permits(LegPlace place, String identity, Rule rule, JsonNode value) {
    String text = value.asText();
    return switch (rule) {
      case STORE -> value.isTextual() && text.equals(place.store());
      case NAME -> value.isTextual() && isOwn(place, text);
      case ALIAS ->
          value.isTextual()
              && text.startsWith(place.alias(""))
              && isOwn(place, text.substring(place.alias("").length()));
      case SOURCE -> text.equals(AttachedLeg.device(LegPlace.source(identity)));
      case VALUE -> value.isValueNode();
    };
  }

  /** The record is written by its own call only. */
  private static boolean isOwn(LegPlace place, String name) {
    return place.owns(name) && !name.equals(place.meta());
  }

  private static StorageException refused(LegPlace place, String what) {
    return new StorageException(
        ErrorCode.FORBIDDEN, place.title() + ": other nodes may not call " + what);
  }
}
