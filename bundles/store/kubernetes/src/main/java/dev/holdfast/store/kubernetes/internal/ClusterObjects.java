package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.WorkloadTickets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;

/** Reads and deletes Kubernetes' own objects, for a policy that a setting selects. Thread-safe. */
final class ClusterObjects {
  private static final String OBJECT = "application/json";

  private final KubernetesConnection connection;
  private final String setting;
  private final String example;

  /**
   * Prepares the access.
   *
   * @param setting setting that selects the policy, for messages
   * @param example file of deploy/examples with the rights that the policy needs
   */
  ClusterObjects(KubernetesConnection connection, String setting, String example) {
    this.connection = connection;
    this.setting = setting;
    this.example = example;
  }

  /**
   * Returns an object, empty when it is absent.
   *
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  Optional<JsonNode> find(String what, String path) throws StorageException {
    KubernetesConnection.Answer answer = get(path);
    return answer.status() == 404 ? Optional.empty() : Optional.of(require(what, answer));
  }

  /**
   * Returns the objects of a collection that match a condition.
   *
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  List<JsonNode> list(String what, String path, Predicate<JsonNode> wanted)
      throws StorageException {
    List<JsonNode> items = new ArrayList<>();
    for (JsonNode item : require(what, get(path)).path("items")) {
      if (wanted.test(item)) {
        items.add(item);
      }
    }
    return items;
  }

  /**
   * Returns a field of each PersistentVolume of this system by its claim: {@code namespace/name}.
   *
   * @param field such as {@code /metadata/name}
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  Map<String, String> byClaim(String field) throws StorageException {
    Map<String, String> volumes = new HashMap<>();
    for (JsonNode volume :
        list(
            "persistentvolumes",
            "/api/v1/persistentvolumes",
            volume -> volume.at("/spec/csi/driver").asText().equals(WorkloadTickets.DRIVER))) {
      JsonNode claim = volume.at("/spec/claimRef");
      volumes.put(
          claim.path("namespace").asText() + "/" + claim.path("name").asText(),
          volume.at(field).asText());
    }
    return volumes;
  }

  /**
   * Deletes an object if its uid matches.
   *
   * @param graceSeconds grace period of a pod's containers; empty for the pod's own
   * @throws StorageException FORBIDDEN; as {@link KubernetesConnection#send}
   */
  void delete(String what, String path, String uid, OptionalInt graceSeconds)
      throws StorageException {
    String grace =
        graceSeconds.isPresent() ? "\"gracePeriodSeconds\":" + graceSeconds.getAsInt() + "," : "";
    String options =
        "{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\","
            + grace
            + "\"preconditions\":{\"uid\":\""
            + uid
            + "\"}}";
    KubernetesConnection.Answer answer =
        connection.send("DELETE", path, OBJECT, Optional.of(options));
    if (answer.status() != 404 && answer.status() != 409) {
      var unused = require(what, answer);
    }
  }

  private KubernetesConnection.Answer get(String path) throws StorageException {
    return connection.send("GET", path, OBJECT, Optional.empty());
  }

  private JsonNode require(String what, KubernetesConnection.Answer answer)
      throws StorageException {
    if (answer.isSuccess()) {
      return answer.document();
    }
    String said = answer.document().path("message").asText("HTTP " + answer.status());
    boolean refused = answer.status() == 401 || answer.status() == 403;
    throw new StorageException(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
        setting
            + ": "
            + what
            + ": "
            + said
            + (refused ? " (the rights are in deploy/examples/" + example + ")" : ""));
  }
}
