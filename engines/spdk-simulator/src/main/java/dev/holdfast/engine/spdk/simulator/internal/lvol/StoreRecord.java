package dev.holdfast.engine.spdk.simulator.internal.lvol;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Content of a store's metadata. */
record StoreRecord(JsonNode content) {
  /** Returns the content of a store without volumes. */
  static ObjectNode header(UUID uuid, String name, int clusterSize, int blockSize) {
    ObjectNode content = JsonNodeFactory.instance.objectNode();
    content.put("uuid", uuid.toString()).put("name", name).put("clusterSize", clusterSize);
    content.put("blockSize", blockSize);
    content.putArray("lvols");
    return content;
  }

  static ObjectNode of(Lvstore store, Collection<Lvol> lvols) {
    ObjectNode content = header(store.uuid(), store.name(), store.clusterSize(), store.blockSize());
    for (Lvol lvol : lvols) {
      ObjectNode entry = content.withArray("lvols").addObject();
      entry.put("uuid", lvol.uuid().toString()).put("label", lvol.label);
      entry.put("length", lvol.length).put("thin", lvol.thin).put("snapshot", lvol.snapshot);
      if (lvol.parent != null) {
        entry.put("parent", lvol.parent.uuid().toString());
      }
      if (lvol.external != null) {
        entry.put("external", lvol.external.toString());
      }
      ObjectNode clusters = entry.putObject("clusters");
      lvol.clusters.entries().forEach((index, cluster) -> clusters.put(index.toString(), cluster));
    }
    return content;
  }

  UUID uuid() {
    return UUID.fromString(content.get("uuid").textValue());
  }

  String name() {
    return content.get("name").textValue();
  }

  int clusterSize() {
    return content.get("clusterSize").intValue();
  }

  int blockSize() {
    return content.get("blockSize").intValue();
  }

  /** Returns the volumes in their order, with their parents. */
  List<Lvol> volumes(Lvstore store) {
    List<Lvol> volumes = new ArrayList<>();
    Map<String, Lvol> known = new HashMap<>();
    for (JsonNode entry : content.get("lvols")) {
      Lvol lvol =
          new Lvol(
              store,
              UUID.fromString(entry.get("uuid").textValue()),
              entry.get("label").textValue(),
              entry.get("length").longValue(),
              entry.get("thin").booleanValue());
      lvol.snapshot = entry.get("snapshot").booleanValue();
      entry
          .get("clusters")
          .properties()
          .forEach(
              cluster ->
                  lvol.clusters.put(
                      Long.parseLong(cluster.getKey()), cluster.getValue().intValue()));
      known.put(lvol.name(), lvol);
      volumes.add(lvol);
    }
    for (JsonNode entry : content.get("lvols")) {
      Lvol lvol = known.get(entry.get("uuid").textValue());
      if (entry.has("parent")) {
        lvol.parent = known.get(entry.get("parent").textValue());
      }
      if (entry.has("external")) {
        lvol.external = UUID.fromString(entry.get("external").textValue());
      }
    }
    return volumes;
  }
}
