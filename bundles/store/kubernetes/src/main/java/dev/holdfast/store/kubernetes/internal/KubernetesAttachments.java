package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.store.WorkloadAttachments;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Reads Kubernetes' own VolumeAttachments. Thread-safe. */
final class KubernetesAttachments implements WorkloadAttachments {
  private static final String PATH = "/apis/storage.k8s.io/v1/volumeattachments";

  private final KubernetesConnection connection;

  KubernetesAttachments(KubernetesConnection connection) {
    this.connection = connection;
  }

  /**
   * Kubernetes derives the name from volume, driver and node, so no PersistentVolume needs to be
   * read.
   */
  @Override
  public List<Attached> of(String volume) throws StorageException {
    KubernetesConnection.Answer answer =
        connection.send("GET", PATH, "application/json", Optional.empty());
    if (!answer.isSuccess()) {
      throw failure(volume, answer);
    }
    List<Attached> found = new ArrayList<>();
    for (JsonNode item : answer.document().path("items")) {
      String name = item.at("/metadata/name").asText();
      String node = item.at("/spec/nodeName").asText();
      if (item.at("/spec/attacher").asText().equals(WorkloadTickets.DRIVER)
          && item.at("/metadata/deletionTimestamp").isMissingNode()
          && name.equals(WorkloadTickets.id(volume, node))) {
        found.add(new Attached(name, node));
      }
    }
    found.sort(Comparator.comparing(Attached::node));
    return found;
  }

  private static StorageException failure(String volume, KubernetesConnection.Answer answer) {
    boolean refused = answer.status() == 401 || answer.status() == 403;
    return new StorageException(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
        "volume "
            + volume
            + ": could not read from Kubernetes which pods use it: "
            + answer.document().path("message").asText("HTTP " + answer.status())
            + (refused ? " (ClusterRole holdfast-node in deploy/manifests has the right)" : ""));
  }
}
