package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.backup.RecurringJob;
import dev.holdfast.resource.volume.Volume;
import dev.holdfast.store.ResourceStore;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Copies the labels that select recurring jobs from a claim to its volume, and removes other labels
 * of this kind. This applies to claims with the label {@link RecurringJob#SOURCE_LABEL}; when a
 * claim loses that label, its volume stays unchanged. Not thread-safe.
 */
final class ClaimLabels {
  private static final String OBJECT = "application/json";
  private static final String CLAIMS =
      "/api/v1/persistentvolumeclaims?labelSelector="
          + URLEncoder.encode(
              RecurringJob.SOURCE_LABEL + "=" + RecurringJob.ENABLED, StandardCharsets.UTF_8);

  private final KubernetesConnection connection;
  private final ResourceStore store;
  private final String self;

  /** Volume names of this system by PersistentVolume; empty for other drivers' volumes. */
  private final Map<String, String> handles = new HashMap<>();

  /**
   * Creates a task that has not run.
   *
   * @param self name of this node; only the first ready node does the work
   */
  ClaimLabels(KubernetesConnection connection, ResourceStore store, String self) {
    this.connection = connection;
    this.store = store;
    this.self = self;
  }

  /**
   * Runs one check, and updates the labels of volumes.
   *
   * @return always false: a change needs no further check
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  boolean run() throws StorageException {
    if (!FirstReadyNode.is(store, self)) {
      return false;
    }
    KubernetesConnection.Answer answer = get(CLAIMS);
    if (!answer.isSuccess()) {
      throw failure(answer);
    }
    for (JsonNode claim : answer.document().path("items")) {
      String persistent = claim.at("/spec/volumeName").asText();
      if (!persistent.isEmpty()) {
        label(handle(persistent), selections(claim));
      }
    }
    return false;
  }

  private KubernetesConnection.Answer get(String path) throws StorageException {
    return connection.send("GET", path, OBJECT, Optional.empty());
  }

  /** A PersistentVolume never changes its volume. */
  private String handle(String persistent) throws StorageException {
    String known = handles.get(persistent);
    if (known != null) {
      return known;
    }
    KubernetesConnection.Answer answer = get("/api/v1/persistentvolumes/" + persistent);
    if (answer.status() == 404) {
      return "";
    } else if (!answer.isSuccess()) {
      throw failure(answer);
    }
    JsonNode source = answer.document().at("/spec/csi");
    boolean ours = source.path("driver").asText().equals(WorkloadTickets.DRIVER);
    String handle = ours ? source.path("volumeHandle").asText() : "";
    handles.put(persistent, handle);
    return handle;
  }

  private static Map<String, String> selections(JsonNode claim) {
    Map<String, String> labels = new TreeMap<>();
    for (Map.Entry<String, JsonNode> label : claim.at("/metadata/labels").properties()) {
      if (RecurringJob.isSelection(label.getKey())) {
        labels.put(label.getKey(), label.getValue().asText());
      }
    }
    return labels;
  }

  private void label(String name, Map<String, String> selections) throws StorageException {
    Optional<Volume> volume = name.isEmpty() ? Optional.empty() : store.get(Volume.KIND, name);
    if (volume.isEmpty() || volume.get().isBeingDeleted()) {
      return;
    }
    Map<String, String> labels = new TreeMap<>(volume.get().metadata().labels());
    labels.keySet().removeIf(RecurringJob::isSelection);
    labels.putAll(selections);
    if (!labels.equals(volume.get().metadata().labels())) {
      var unused =
          store.update(volume.get().withMetadata(volume.get().metadata().withLabels(labels)));
    }
  }

  private static StorageException failure(KubernetesConnection.Answer answer) {
    boolean refused = answer.status() == 401 || answer.status() == 403;
    return new StorageException(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
        "labels of claims: "
            + answer.document().path("message").asText("HTTP " + answer.status())
            + (refused ? ": set backups.claims of the chart's values to true" : ""));
  }
}
