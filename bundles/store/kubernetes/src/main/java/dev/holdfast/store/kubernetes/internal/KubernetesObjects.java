package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.attachment.WorkloadTickets;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.WorkloadObjects;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * The storage classes of the driver, its PersistentVolumes, and the claims bound to them.
 * Thread-safe.
 *
 * <p>A recreated volume names its claim without the claim's uid, and the claim names the volume, so
 * that Kubernetes binds exactly these two.
 */
final class KubernetesObjects implements WorkloadObjects {
  private static final String CLASS = "StorageClass";
  private static final String VOLUME = "PersistentVolume";
  private static final String CLAIM = "PersistentVolumeClaim";
  private static final String CLASSES = "/apis/storage.k8s.io/v1/storageclasses";
  private static final String VOLUMES = "/api/v1/persistentvolumes";
  private static final String CLAIMS = "/api/v1/persistentvolumeclaims";
  private static final String JSON = "application/json";
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

  /**
   * Annotation by which the provisioner recognizes the volumes that it deletes with their claims.
   */
  private static final String PROVISIONED_BY = "pv.kubernetes.io/provisioned-by";

  /** Annotations of Kubernetes' controllers and of kubectl, which write them again. */
  private static final List<String> FOREIGN =
      List.of(
          "pv.kubernetes.io/",
          "volume.kubernetes.io/",
          "volume.beta.kubernetes.io/",
          "kubectl.kubernetes.io/");

  private final KubernetesConnection connection;
  private final ResourceJson json;

  KubernetesObjects(KubernetesConnection connection, ResourceJson json) {
    this.connection = connection;
    this.json = json;
  }

  @Override
  public List<String> kinds() {
    return List.of(CLASS, VOLUME, CLAIM);
  }

  @Override
  public Map<String, String> read(Volumes volumes) throws StorageException {
    Map<String, String> files = new TreeMap<>();
    for (JsonNode found : list(CLASSES)) {
      if (found.path("provisioner").asText().equals(WorkloadTickets.DRIVER)) {
        ObjectNode saved = stripped(found, "storage.k8s.io/v1", CLASS);
        files.put("storageclasses/" + name(found) + ".json", json.write(saved));
      }
    }
    Set<String> claims = new HashSet<>();
    for (JsonNode found : list(VOLUMES)) {
      if (isOurs(found) && volumes.has(handle(found))) {
        claims.add(claim(found.at("/spec/claimRef")));
        files.put("persistentvolumes/" + name(found) + ".json", json.write(savedVolume(found)));
      }
    }
    for (JsonNode found : list(CLAIMS)) {
      if (claims.contains(claim(found.path("metadata")))) {
        String file = found.at("/metadata/namespace").asText() + "/" + name(found);
        files.put("persistentvolumeclaims/" + file + ".json", json.write(savedClaim(found)));
      }
    }
    return files;
  }

  private List<JsonNode> list(String path) throws StorageException {
    KubernetesConnection.Answer answer = connection.send("GET", path, JSON, Optional.empty());
    if (!answer.isSuccess()) {
      throw failure("claims and storage classes", answer);
    }
    List<JsonNode> items = new ArrayList<>();
    answer.document().path("items").forEach(items::add);
    return items;
  }

  private static boolean isOurs(JsonNode volume) {
    return volume.at("/spec/csi/driver").asText().equals(WorkloadTickets.DRIVER)
        && volume.at("/metadata/deletionTimestamp").isMissingNode();
  }

  private static String handle(JsonNode volume) {
    return volume.at("/spec/csi/volumeHandle").asText();
  }

  private static String claim(JsonNode reference) {
    return reference.path("namespace").asText() + "/" + reference.path("name").asText();
  }

  private static String name(JsonNode object) {
    return object.at("/metadata/name").asText();
  }

  /** Returns an object without the fields that this server set. */
  private ObjectNode stripped(JsonNode object, String version, String kind) {
    ObjectNode saved = json.mapper().createObjectNode();
    saved.put("apiVersion", version).put("kind", kind);
    ObjectNode metadata = saved.putObject("metadata");
    JsonNode found = object.path("metadata");
    for (String field : List.of("name", "namespace", "labels")) {
      if (found.has(field)) {
        metadata.set(field, found.get(field));
      }
    }
    ObjectNode annotations = metadata.putObject("annotations");
    for (Map.Entry<String, JsonNode> entry : found.path("annotations").properties()) {
      if (entry.getKey().equals(PROVISIONED_BY)
          || FOREIGN.stream().noneMatch(entry.getKey()::startsWith)) {
        annotations.set(entry.getKey(), entry.getValue());
      }
    }
    for (Map.Entry<String, JsonNode> entry : object.properties()) {
      if (!Set.of("apiVersion", "kind", "metadata", "status").contains(entry.getKey())) {
        saved.set(entry.getKey(), entry.getValue().deepCopy());
      }
    }
    return saved;
  }

  private ObjectNode savedVolume(JsonNode volume) {
    ObjectNode saved = stripped(volume, "v1", VOLUME);
    if (saved.at("/spec/claimRef") instanceof ObjectNode reference) {
      reference.remove(List.of("uid", "resourceVersion"));
    }
    return saved;
  }

  /** Without the data source, with which the claim would be filled again. */
  private ObjectNode savedClaim(JsonNode claim) {
    ObjectNode saved = stripped(claim, "v1", CLAIM);
    if (saved.path("spec") instanceof ObjectNode spec) {
      spec.remove(List.of("dataSource", "dataSourceRef"));
    }
    return saved;
  }

  @Override
  public boolean create(String text, Map<String, String> mark, Volumes volumes)
      throws StorageException {
    JsonNode object = json.parse(text);
    String kind = object.path("kind").asText();
    String what = kind + " " + name(object);
    requireName(what, "metadata.name", name(object));
    String collection =
        switch (kind) {
          case CLASS -> {
            require(
                object.path("provisioner").asText().equals(WorkloadTickets.DRIVER),
                what + ": provisioner: must be " + WorkloadTickets.DRIVER);
            yield CLASSES;
          }
          case VOLUME -> {
            requireVolume(what, object, volumes);
            yield VOLUMES;
          }
          case CLAIM -> claims(what, object);
          default -> throw invalid(what + ": not a kind that system backups hold");
        };
    Optional<JsonNode> present = get(what, collection + "/" + name(object));
    return present.isPresent()
        ? isMarked(present.get(), mark)
        : created(what, collection, marked(object, mark), mark);
  }

  /** The archive is untrusted: it must not create volumes that expose other files of a host. */
  private static void requireVolume(String what, JsonNode object, Volumes volumes)
      throws StorageException {
    require(
        object.at("/spec/csi/driver").asText().equals(WorkloadTickets.DRIVER),
        what + ": spec.csi.driver: must be " + WorkloadTickets.DRIVER);
    String handle = handle(object);
    require(
        volumes.has(handle),
        what + ": spec.csi.volumeHandle: volume " + handle + " is not restored: restore it first");
  }

  private String claims(String what, JsonNode object) throws StorageException {
    String namespace = object.at("/metadata/namespace").asText();
    String volume = object.at("/spec/volumeName").asText();
    requireName(what, "metadata.namespace", namespace);
    requireName(what, "spec.volumeName", volume);
    JsonNode bound =
        get(what, VOLUMES + "/" + volume)
            .orElseThrow(
                () ->
                    invalid(
                        what
                            + ": spec.volumeName: PersistentVolume "
                            + volume
                            + " does not exist: restore it first"));
    require(
        claim(bound.at("/spec/claimRef")).equals(namespace + "/" + name(object)),
        what + ": spec.volumeName: PersistentVolume " + volume + " is bound to another claim");
    return "/api/v1/namespaces/" + namespace + "/persistentvolumeclaims";
  }

  private static void requireName(String what, String field, String value) throws StorageException {
    require(
        NAME.matcher(value).matches(),
        what + ": " + field + ": expected lower-case letters, digits, dashes and dots");
  }

  private static void require(boolean holds, String problem) throws StorageException {
    if (!holds) {
      throw invalid(problem);
    }
  }

  private static StorageException invalid(String problem) {
    return new StorageException(ErrorCode.INVALID, problem);
  }

  private Optional<JsonNode> get(String what, String path) throws StorageException {
    KubernetesConnection.Answer answer = connection.send("GET", path, JSON, Optional.empty());
    if (answer.status() == 404) {
      return Optional.empty();
    } else if (!answer.isSuccess()) {
      throw lasting(what, answer);
    }
    return Optional.of(answer.document());
  }

  private static boolean isMarked(JsonNode object, Map<String, String> mark) {
    JsonNode annotations = object.at("/metadata/annotations");
    return mark.entrySet().stream()
        .allMatch(entry -> annotations.path(entry.getKey()).asText().equals(entry.getValue()));
  }

  private ObjectNode marked(JsonNode object, Map<String, String> mark) {
    ObjectNode made =
        stripped(object, object.path("apiVersion").asText(), object.path("kind").asText());
    mark.forEach(made.withObject("/metadata/annotations")::put);
    return made;
  }

  private boolean created(
      String what, String collection, ObjectNode object, Map<String, String> mark)
      throws StorageException {
    KubernetesConnection.Answer answer =
        connection.send("POST", collection, JSON, Optional.of(json.write(object)));
    if (answer.status() == 409) {
      // An earlier attempt or another node created it at the same time.
      return get(what, collection + "/" + name(object)).filter(o -> isMarked(o, mark)).isPresent();
    }
    if (answer.status() == 404) {
      String namespace = object.at("/metadata/namespace").asText();
      throw invalid(
          what
              + ": namespace "
              + namespace
              + " does not exist: create it by 'kubectl create namespace "
              + namespace
              + "' and restore again");
    }
    if (!answer.isSuccess()) {
      throw lasting(what, answer);
    }
    return true;
  }

  /** Other nodes have the same rights, so a refusal is final. */
  private static StorageException lasting(String what, KubernetesConnection.Answer answer) {
    StorageException failure = failure(what, answer);
    return failure.code() == ErrorCode.FORBIDDEN
        ? new StorageException(ErrorCode.INVALID, String.valueOf(failure.getMessage()), failure)
        : failure;
  }

  private static StorageException failure(String what, KubernetesConnection.Answer answer) {
    String said = answer.document().path("message").asText("HTTP " + answer.status());
    ErrorCode code =
        switch (answer.status()) {
          case 401, 403 -> ErrorCode.FORBIDDEN;
          case 400, 422 -> ErrorCode.INVALID;
          case 504 -> ErrorCode.TIMEOUT;
          default -> ErrorCode.UNREACHABLE;
        };
    return new StorageException(
        code,
        what
            + ": "
            + said
            + (code == ErrorCode.FORBIDDEN
                ? ": set backups.claims of the chart's values to true"
                : ""));
  }
}
