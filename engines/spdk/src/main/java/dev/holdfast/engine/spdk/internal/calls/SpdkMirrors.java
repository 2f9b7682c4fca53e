package dev.holdfast.engine.spdk.internal.calls;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Mirrors of the target. They have no superblock: with one, SPDK assembles a mirror by itself and
 * does not know which legs are current. Thread-safe.
 */
public final class SpdkMirrors {
  private final TargetCalls target;

  /** Creates the calls of a target. */
  public SpdkMirrors(TargetCalls target) {
    this.target = target;
  }

  /** Makes a mirror of two or more devices. */
  public void create(String name, String uuid, List<String> legs) throws StorageException {
    ObjectNode params =
        SpdkTarget.params()
            .put("name", name)
            .put("raid_level", "raid1")
            .put("uuid", uuid)
            .put("superblock", false);
    ArrayNode names = params.putArray("base_bdevs");
    legs.forEach(names::add);
    target.run("bdev_raid_create", params);
  }

  /** Removes a mirror; its legs keep their content. Succeeds when there is none. */
  public void delete(String name) throws StorageException {
    if (legs(name).isPresent()) {
      target.run("bdev_raid_delete", SpdkTarget.params().put("name", name));
    }
  }

  /**
   * Returns the UUIDs of the legs that receive writes now, empty when the mirror does not exist.
   * SPDK drops a leg that failed and reports it by this list alone.
   */
  public Optional<Set<String>> legs(String name) throws StorageException {
    JsonNode all = target.call("bdev_raid_get_bdevs", SpdkTarget.params().put("category", "all"));
    for (JsonNode raid : all) {
      if (raid.path("name").asText().equals(name)) {
        Set<String> legs = new TreeSet<>();
        for (JsonNode leg : raid.path("base_bdevs_list")) {
          if (leg.path("is_configured").booleanValue()) {
            legs.add(leg.path("uuid").asText());
          }
        }
        return Optional.of(legs);
      }
    }
    return Optional.empty();
  }
}
