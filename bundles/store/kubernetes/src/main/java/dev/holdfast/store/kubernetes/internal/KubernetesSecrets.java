package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.store.SharedSecrets;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Secrets of the cluster as Secrets of Kubernetes, {@code holdfast-<name>} in the namespace of the
 * leases. An administrator may make one beforehand; then it is only read.
 */
final class KubernetesSecrets implements SharedSecrets {
  private static final String OBJECT = "application/json";

  private final KubernetesConnection connection;
  private final ResourceJson json;

  KubernetesSecrets(KubernetesConnection connection, ResourceJson json) {
    this.connection = connection;
    this.json = json;
  }

  @Override
  public Map<String, String> agree(String name, Map<String, String> offered)
      throws StorageException {
    String object = "holdfast-" + name;
    Optional<Map<String, String>> kept = read(object);
    if (kept.isPresent()) {
      return kept.get();
    }
    KubernetesConnection.Answer made =
        connection.send(
            "POST", collection(), OBJECT, Optional.of(json.write(secret(object, offered))));
    if (!made.isSuccess() && made.status() != 409) {
      throw failure(object, made);
    }
    return read(object)
        .orElseThrow(
            () ->
                new StorageException(
                    ErrorCode.UNREACHABLE, "the secret " + object + " was removed since"));
  }

  private String collection() {
    return "/api/v1/namespaces/" + connection.namespace() + "/secrets";
  }

  private Optional<Map<String, String>> read(String object) throws StorageException {
    KubernetesConnection.Answer answer =
        connection.send("GET", collection() + "/" + object, OBJECT, Optional.empty());
    if (answer.status() == 404) {
      return Optional.empty();
    } else if (!answer.isSuccess()) {
      throw failure(object, answer);
    }
    Map<String, String> texts = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : answer.document().path("data").properties()) {
      texts.put(entry.getKey(), decoded(object, entry.getValue().asText()));
    }
    return Optional.of(texts);
  }

  private static String decoded(String object, String base64) throws StorageException {
    try {
      return new String(Base64.getDecoder().decode(base64), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new StorageException(ErrorCode.INVALID, "the secret " + object + " is not base64", e);
    }
  }

  private ObjectNode secret(String object, Map<String, String> texts) {
    ObjectNode secret = json.mapper().createObjectNode();
    secret.put("apiVersion", "v1").put("kind", "Secret").put("type", "Opaque");
    secret.putObject("metadata").put("name", object);
    ObjectNode data = secret.putObject("stringData");
    texts.forEach(data::put);
    return secret;
  }

  private StorageException failure(String object, KubernetesConnection.Answer answer) {
    String said = answer.document().path("message").asText("HTTP " + answer.status());
    ErrorCode code =
        switch (answer.status()) {
          case 401, 403 -> ErrorCode.FORBIDDEN;
          case 504 -> ErrorCode.TIMEOUT;
          default -> ErrorCode.UNREACHABLE;
        };
    return new StorageException(
        code, "the secret " + object + " in " + connection.namespace() + ": " + said);
  }
}
