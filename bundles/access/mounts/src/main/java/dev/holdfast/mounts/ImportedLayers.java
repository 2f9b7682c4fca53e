package dev.holdfast.mounts;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The layers below the live content of a replica, oldest first, and the live content last.
 *
 * @param layers in the order of their creation
 */
record ImportedLayers(List<ReplicaLayer> layers) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String META = ".meta";

  ImportedLayers {
    layers = List.copyOf(layers);
  }

  /**
   * Reads the layers of an inspected replica.
   *
   * @throws StorageException UNSUPPORTED when it has a snapshot that is not an ancestor of the live
   *     content; INVALID when a snapshot has no valid time or label, or a layer is larger than the
   *     volume
   */
  static ImportedLayers of(LonghornReplica replica) throws StorageException {
    Deque<ReplicaLayer> layers = new ArrayDeque<>();
    try {
      String file = json(replica.directory().resolve(LonghornReplica.VOLUME_META), "Head");
      while (!file.isEmpty()) {
        layers.addFirst(layer(replica, file));
        file = json(replica.directory().resolve(file + META), "Parent");
      }
    } catch (IOException e) {
      throw StorageException.io(replica.directory().toString(), e);
    }
    List<String> missing =
        replica.snapshots().stream()
            .filter(name -> layers.stream().noneMatch(layer -> layer.snapshot().equals(name)))
            .toList();
    if (!missing.isEmpty()) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          replica.directory()
              + ": the volume was reverted, and its live content is not based on the snapshots "
              + missing
              + ": delete them first, or import with the engine sparse");
    }
    return new ImportedLayers(List.copyOf(layers));
  }

  private static String json(Path file, String field) throws IOException {
    return JSON.readTree(Files.readAllBytes(file)).path(field).asText();
  }

  private static ReplicaLayer layer(LonghornReplica replica, String name)
      throws IOException, StorageException {
    Path file = replica.directory().resolve(name);
    if (Files.size(file) > replica.sizeBytes()) {
      throw invalid(file, "has " + Files.size(file) + " bytes, its volume " + replica.sizeBytes());
    }
    String snapshot = LonghornReplica.snapshotOf(name);
    if (!replica.snapshots().contains(snapshot)) {
      return new ReplicaLayer(file, "", Instant.EPOCH, Map.of());
    }
    Path meta = replica.directory().resolve(name + META);
    JsonNode content = JSON.readTree(Files.readAllBytes(meta));
    return new ReplicaLayer(file, snapshot, created(meta, content), labels(meta, content));
  }

  private static Instant created(Path meta, JsonNode content) throws StorageException {
    String text = content.path("Created").asText();
    try {
      return OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeException e) {
      throw invalid(meta, "Created: '" + text + "' is not a time such as 2026-11-20T23:22:57Z");
    }
  }

  private static Map<String, String> labels(Path meta, JsonNode content) throws StorageException {
    Map<String, String> labels = new HashMap<>();
    for (Map.Entry<String, JsonNode> label : content.path("Labels").properties()) {
      if (!label.getValue().isTextual()) {
        throw invalid(meta, "Labels: " + label.getKey() + " is not a text");
      }
      labels.put(label.getKey(), label.getValue().asText());
    }
    return labels;
  }

  private static StorageException invalid(Path file, String why) {
    return new StorageException(ErrorCode.INVALID, file + ": " + why);
  }
}
