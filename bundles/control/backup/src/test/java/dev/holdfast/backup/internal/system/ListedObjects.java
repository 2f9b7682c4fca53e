package dev.holdfast.backup.internal.system;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.WorkloadObjects;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The objects of an orchestrator: one volume for each listed name. */
final class ListedObjects implements WorkloadObjects {
  /** Names of Holdfast volumes by the names of the orchestrator's volumes. */
  final Map<String, String> volumes = new TreeMap<>();

  @Override
  public List<String> kinds() {
    return List.of("PersistentVolume");
  }

  @Override
  public Map<String, String> read(Volumes wanted) throws StorageException {
    Map<String, String> files = new TreeMap<>();
    for (Map.Entry<String, String> entry : volumes.entrySet()) {
      if (wanted.has(entry.getValue())) {
        files.put(
            "persistentvolumes/" + entry.getKey() + ".json",
            """
            {"kind": "PersistentVolume", "metadata": {"name": "%s"}, "volume": "%s"}
            """
                .formatted(entry.getKey(), entry.getValue()));
      }
    }
    return files;
  }

  @Override
  public boolean create(String text, Map<String, String> mark, Volumes present)
      throws StorageException {
    JsonNode object = new ResourceJson().parse(text);
    String name = object.at("/metadata/name").asText();
    String volume = object.path("volume").asText();
    if (!present.has(volume)) {
      throw new StorageException(ErrorCode.INVALID, "volume " + volume + " is not restored");
    }
    return volumes.putIfAbsent(name, volume) == null;
  }
}
