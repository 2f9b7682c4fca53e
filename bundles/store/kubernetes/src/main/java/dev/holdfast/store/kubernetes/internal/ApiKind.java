package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ManagedFields;
import dev.holdfast.resource.Resource;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.cluster.Lease;
import dev.holdfast.resource.json.ResourceJson;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/**
 * Form of a kind's resources in the API server: custom resources of the same shape. Leases are
 * stored as those of {@code coordination.k8s.io} in one namespace, with a label that distinguishes
 * them from other leases. Immutable.
 *
 * <p>The server itself records field managers. Those of our own API are in an annotation, and the
 * server's are not returned.
 */
final class ApiKind<R extends Resource<R>> {
  private static final String LEASE_VERSION = "coordination.k8s.io/v1";

  private final ResourceKind<R> kind;
  private final String namespace;
  private final ResourceJson json;

  ApiKind(ResourceKind<R> kind, String namespace, ResourceJson json) {
    this.kind = kind;
    this.namespace = namespace;
    this.json = json;
  }

  ResourceKind<R> kind() {
    return kind;
  }

  private boolean isLease() {
    return kind.type() == Lease.class;
  }

  /** Returns whether the status is written separately; a lease has none. */
  boolean hasStatus() {
    return !isLease();
  }

  String collection() {
    return isLease()
        ? "/apis/" + LEASE_VERSION + "/namespaces/" + namespace + "/leases"
        : "/apis/" + ResourceKind.API_VERSION + "/" + kind.plural();
  }

  String path(String name) {
    return collection() + "/" + encoded(name);
  }

  /** Returns the query for the resources that a selector matches. */
  String selecting(String selector) {
    String all = isLease() && !selector.isEmpty() ? Lease.LABEL + "," + selector : selector;
    String text = isLease() && all.isEmpty() ? Lease.LABEL : all;
    return text.isEmpty() ? "" : "&labelSelector=" + encoded(text);
  }

  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /** Returns whether an object is one of ours. */
  boolean owns(JsonNode object) {
    return !isLease() || object.path("metadata").path("labels").has(Lease.LABEL);
  }

  String encode(R resource) {
    ObjectNode tree = json.tree(resource);
    ObjectNode metadata = (ObjectNode) tree.get("metadata");
    JsonNode managers = metadata.remove("managedFields");
    if (managers != null) {
      metadata
          .withObjectProperty("annotations")
          .put(ManagedFields.ANNOTATION, json.write(managers));
    }
    if (isLease()) {
      tree.put("apiVersion", LEASE_VERSION);
      tree.remove("status");
      metadata.withObjectProperty("labels").put(Lease.LABEL, "");
      leaveOutEmpty((ObjectNode) tree.get("spec"));
    }
    return json.write(tree);
  }

  /** A lease without a holder omits the fields. */
  private static void leaveOutEmpty(ObjectNode spec) {
    if (spec.path("holderIdentity").asText().isEmpty()) {
      spec.remove("holderIdentity");
    }
    if (spec.path("leaseDurationSeconds").asInt() == 0) {
      spec.remove("leaseDurationSeconds");
    }
  }

  R decode(JsonNode object) throws StorageException {
    ObjectNode tree = object.deepCopy();
    if (tree.get("metadata") instanceof ObjectNode metadata) {
      metadata.remove("managedFields");
      if (metadata.get("annotations") instanceof ObjectNode annotations) {
        JsonNode managers = annotations.remove(ManagedFields.ANNOTATION);
        if (managers != null) {
          metadata.set("managedFields", json.parse(managers.asText()));
        }
      }
      if (isLease() && metadata.get("labels") instanceof ObjectNode labels) {
        labels.remove(Lease.LABEL);
      }
    }
    return json.decode(kind, tree, ResourceJson.Mode.LENIENT);
  }
}
