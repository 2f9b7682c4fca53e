package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.StableServices;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Kubernetes Services without a selector, each with one EndpointSlice of the same name, in the
 * namespace of the leases. Services that Holdfast did not create are left unchanged. Thread-safe.
 */
final class KubernetesServices implements StableServices {
  private static final String OBJECT = "application/json";
  private static final String APPLY = "application/apply-patch+yaml";
  private static final String QUERY = "?fieldManager=holdfast&force=true";
  private static final String OWNER = "holdfast";
  private static final String MANAGED_BY = "app.kubernetes.io/managed-by";
  private static final String PORT_NAME = "nfs";
  private static final int PORT = 2049;

  /** Names of Services are DNS labels that begin with a letter. */
  private static final Pattern NAME = Pattern.compile("[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?");

  private static final Pattern NUMERIC = Pattern.compile("[0-9.]+|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
  private static final int DIGEST_BYTES = 16;

  private final KubernetesConnection connection;
  private final ResourceJson json;

  KubernetesServices(KubernetesConnection connection, ResourceJson json) {
    this.connection = connection;
    this.json = json;
  }

  @Override
  public Optional<String> direct(String name, String address, int port) throws StorageException {
    Optional<InetAddress> server = reachable(address);
    if (server.isEmpty()) {
      return Optional.empty();
    }
    String object = objectName(name);
    KubernetesConnection.Answer present = send("GET", service(object), Optional.empty());
    if (present.isSuccess() && !isOurs(present.document())) {
      throw new StorageException(
          ErrorCode.CONFLICT,
          "Service "
              + object
              + " in namespace "
              + connection.namespace()
              + " belongs to another owner: delete it or rename the volume");
    }
    if (!present.isSuccess() && present.status() != 404) {
      throw failure(object, present);
    }
    JsonNode made = apply(object, service(object), service(object, port));
    JsonNode unused = apply(object, slice(object), slice(object, server.get(), port));
    String cluster = made.at("/spec/clusterIP").asText();
    if (cluster.isEmpty() || cluster.equals("None")) {
      return Optional.empty();
    }
    return Optional.of((cluster.contains(":") ? "[" + cluster + "]" : cluster) + ":" + PORT);
  }

  /** The API server refuses endpoints at these addresses. */
  private static Optional<InetAddress> reachable(String address) {
    if (!NUMERIC.matcher(address).matches()) {
      return Optional.empty();
    }
    try {
      return Optional.of(InetAddress.getByName(address)) // numeric: needs no name server
          .filter(
              a ->
                  !a.isLoopbackAddress()
                      && !a.isAnyLocalAddress()
                      && !a.isLinkLocalAddress()
                      && !a.isMulticastAddress());
    } catch (UnknownHostException e) {
      return Optional.empty();
    }
  }

  @Override
  public void remove(String name) throws StorageException {
    String object = objectName(name);
    KubernetesConnection.Answer present = send("GET", service(object), Optional.empty());
    if (!present.isSuccess() && present.status() != 404) {
      throw failure(object, present);
    }
    if (present.isSuccess() && !isOurs(present.document())) {
      return;
    }
    delete(object, slice(object));
    if (present.isSuccess()) {
      delete(object, service(object));
    }
  }

  private void delete(String object, String path) throws StorageException {
    KubernetesConnection.Answer deleted = send("DELETE", path, Optional.empty());
    if (!deleted.isSuccess() && deleted.status() != 404) {
      throw failure(object, deleted);
    }
  }

  private static boolean isOurs(JsonNode service) {
    return service.path("metadata").path("labels").path(MANAGED_BY).asText().equals(OWNER);
  }

  static String objectName(String volume) {
    return NAME.matcher(volume).matches() ? volume : "share-" + digest(volume);
  }

  private static String digest(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest, 0, DIGEST_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  private String service(String object) {
    return "/api/v1/namespaces/" + connection.namespace() + "/services/" + object;
  }

  private String slice(String object) {
    return "/apis/discovery.k8s.io/v1/namespaces/"
        + connection.namespace()
        + "/endpointslices/"
        + object;
  }

  private ObjectNode service(String object, int target) {
    ObjectNode service = json.mapper().createObjectNode();
    service.put("apiVersion", "v1").put("kind", "Service");
    service.putObject("metadata").put("name", object).putObject("labels").put(MANAGED_BY, OWNER);
    ObjectNode spec = service.putObject("spec").put("type", "ClusterIP");
    spec.putArray("ports")
        .addObject()
        .put("name", PORT_NAME)
        .put("protocol", "TCP")
        .put("port", PORT)
        .put("targetPort", target);
    return service;
  }

  private ObjectNode slice(String object, InetAddress server, int port) {
    ObjectNode slice = json.mapper().createObjectNode();
    slice.put("apiVersion", "discovery.k8s.io/v1").put("kind", "EndpointSlice");
    slice
        .putObject("metadata")
        .put("name", object)
        .putObject("labels")
        .put(MANAGED_BY, OWNER)
        .put("kubernetes.io/service-name", object)
        .put("endpointslice.kubernetes.io/managed-by", OWNER);
    slice.put("addressType", server.getAddress().length == 4 ? "IPv4" : "IPv6");
    slice
        .putArray("ports")
        .addObject()
        .put("name", PORT_NAME)
        .put("protocol", "TCP")
        .put("port", port);
    ObjectNode endpoint = slice.putArray("endpoints").addObject();
    endpoint.putArray("addresses").add(server.getHostAddress());
    endpoint.putObject("conditions").put("ready", true);
    return slice;
  }

  private JsonNode apply(String object, String path, ObjectNode wanted) throws StorageException {
    KubernetesConnection.Answer applied =
        connection.send("PATCH", path + QUERY, APPLY, Optional.of(json.write(wanted)));
    if (!applied.isSuccess()) {
      throw failure(object, applied);
    }
    return applied.document();
  }

  private KubernetesConnection.Answer send(String method, String path, Optional<String> body)
      throws StorageException {
    return connection.send(method, path, OBJECT, body);
  }

  private StorageException failure(String object, KubernetesConnection.Answer answer) {
    boolean refused = answer.status() == 401 || answer.status() == 403;
    return new StorageException(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.UNREACHABLE,
        "Service "
            + object
            + " in namespace "
            + connection.namespace()
            + ": "
            + answer.document().path("message").asText("HTTP " + answer.status())
            + (refused ? " (Role holdfast-node in deploy/manifests has the right)" : ""));
  }
}
