package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.KindCatalogue;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Installs our kinds in the cluster: applies each definition that is missing or of an earlier
 * version of Holdfast, never over a later one, and creates the namespace of the leases. Without the
 * permission, the administrator must install them. Idempotent; several nodes may run it
 * concurrently.
 */
final class Installation {
  static final String VERSION = "app.kubernetes.io/version";

  private static final Logger LOG = LoggerFactory.getLogger(Installation.class);
  private static final String DEFINITIONS =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  private static final String APPLY = "application/apply-patch+yaml";

  private final KubernetesConnection connection;
  private final ResourceJson json;
  private final KindCatalogue kinds;
  private final String version;

  /**
   * Prepares an installation.
   *
   * @param kinds to install in the cluster; installed definitions stay when a kind is removed
   * @param version version of Holdfast, three numbers with dots and an optional suffix
   */
  Installation(
      KubernetesConnection connection, ResourceJson json, KindCatalogue kinds, String version) {
    this.connection = connection;
    this.json = json;
    this.kinds = kinds;
    this.version = version;
  }

  /**
   * Installs missing and outdated definitions.
   *
   * @return whether every kind is served now; if not, the server is still registering them
   * @throws StorageException UNREACHABLE, TIMEOUT, BUSY; FORBIDDEN when a definition is missing and
   *     this user may not create it
   */
  boolean run() throws StorageException {
    Definitions definitions = new Definitions();
    boolean served = true;
    for (ResourceKind<?> kind : Definitions.kinds(kinds).toList()) {
      served &= apply(kind, definitions.of(kind));
    }
    makeNamespace();
    return served;
  }

  private boolean apply(ResourceKind<?> kind, ObjectNode definition) throws StorageException {
    String path = DEFINITIONS + "/" + Definitions.nameOf(kind);
    KubernetesConnection.Answer present =
        connection.send("GET", path, "application/json", Optional.empty());
    JsonNode stored = present.document();
    if (present.isSuccess() && isRecent(stored)) {
      return isEstablished(stored);
    }
    ((ObjectNode) definition.get("metadata")).putObject("labels").put(VERSION, version);
    KubernetesConnection.Answer applied =
        connection.send(
            "PATCH",
            path + "?fieldManager=holdfast&force=true",
            APPLY,
            Optional.of(json.write(definition)));
    if (applied.isSuccess()) {
      LOG.info("applied the definition {} of version {}", Definitions.nameOf(kind), version);
      return isEstablished(applied.document());
    }
    if (present.isSuccess() && applied.status() == 403) {
      LOG.warn(
          "the definition {} is older than {}, and this node may not change it: apply deploy/crds",
          Definitions.nameOf(kind),
          version);
      return isEstablished(stored);
    }
    throw refusal(kind, applied);
  }

  private static StorageException refusal(
      ResourceKind<?> kind, KubernetesConnection.Answer answer) {
    StorageException why = ApiAnswers.failure(kind, "", answer);
    return why.code() == ErrorCode.FORBIDDEN
        ? new StorageException(
            ErrorCode.FORBIDDEN,
            "the definition "
                + Definitions.nameOf(kind)
                + " is missing, and this node may not create it: apply deploy/crds ("
                + why.getMessage()
                + ")",
            why)
        : why;
  }

  private boolean isRecent(JsonNode definition) {
    String found = definition.path("metadata").path("labels").path(VERSION).asText();
    return Numbers.of(found).compareTo(Numbers.of(version)) >= 0;
  }

  private static boolean isEstablished(JsonNode definition) {
    for (JsonNode condition : definition.path("status").path("conditions")) {
      if (condition.path("type").asText().equals("Established")) {
        return condition.path("status").asText().equals("True");
      }
    }
    return false;
  }

  private void makeNamespace() throws StorageException {
    ObjectNode namespace = json.mapper().createObjectNode();
    namespace.put("apiVersion", "v1").put("kind", "Namespace");
    namespace.putObject("metadata").put("name", connection.namespace());
    KubernetesConnection.Answer answer =
        connection.send(
            "POST", "/api/v1/namespaces", "application/json", Optional.of(json.write(namespace)));
    if (!answer.isSuccess() && answer.status() != 409) {
      LOG.debug("could not create namespace {}: {}", connection.namespace(), answer.document());
    }
  }

  /** The first three numbers of a version. */
  private record Numbers(int major, int minor, int patch) implements Comparable<Numbers> {
    static Numbers of(String text) {
      int[] parts = new int[3];
      String[] words = text.split("[^0-9]+", 4);
      for (int i = 0; i < Math.min(parts.length, words.length); i++) {
        parts[i] = words[i].isEmpty() || words[i].length() > 6 ? 0 : Integer.parseInt(words[i]);
      }
      return new Numbers(parts[0], parts[1], parts[2]);
    }

    @Override
    public int compareTo(Numbers other) {
      int order = Integer.compare(major, other.major);
      order = order == 0 ? Integer.compare(minor, other.minor) : order;
      return order == 0 ? Integer.compare(patch, other.patch) : order;
    }
  }
}
