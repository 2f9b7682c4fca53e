package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.secret.Secrets;
import dev.holdfast.store.SharedSecrets;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Kubernetes secrets in the namespace of the leases. Secrets that the nodes share are named {@code
 * holdfast-<name>}; an administrator may create one in advance, which is then only read. Others,
 * such as credentials of backup targets, are created by users and read by name.
 */
final class KubernetesSecrets implements SharedSecrets, Secrets {
  private static final String OBJECT = "application/json";
  private static final String OWN_PREFIX = "holdfast-";
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");

  private final KubernetesConnection connection;
  private final ResourceJson json;

  KubernetesSecrets(KubernetesConnection connection, ResourceJson json) {
    this.connection = connection;
    this.json = json;
  }

  @Override
  public Map<String, String> agree(String name, Map<String, String> offered)
      throws StorageException {
    String object = OWN_PREFIX + name;
    Optional<Map<String, byte[]>> kept = values(object);
    if (kept.isPresent()) {
      return texts(kept.get());
    }
    KubernetesConnection.Answer made =
        connection.send(
            "POST", collection(), OBJECT, Optional.of(json.write(secret(object, offered))));
    if (!made.isSuccess() && made.status() != 409) {
      throw failure(object, made);
    }
    return texts(
        values(object)
            .orElseThrow(
                () ->
                    new StorageException(
                        ErrorCode.UNREACHABLE, "the secret " + object + " was removed since")));
  }

  private static Map<String, String> texts(Map<String, byte[]> values) {
    Map<String, String> texts = new TreeMap<>();
    values.forEach((key, value) -> texts.put(key, new String(value, StandardCharsets.UTF_8)));
    return texts;
  }

  /** Callers may not read the system's own secrets. */
  @Override
  public Optional<Map<String, byte[]>> read(String name) throws StorageException {
    if (!NAME.matcher(name).matches() || name.startsWith(OWN_PREFIX)) {
      throw new StorageException(
          ErrorCode.INVALID,
          "name of a secret: expected at most 253 lower-case letters, digits, dashes and dots,"
              + " and not one that begins with "
              + OWN_PREFIX);
    }
    try {
      return values(name).filter(values -> !values.isEmpty());
    } catch (StorageException e) {
      if (e.code() == ErrorCode.FORBIDDEN) {
        throw new StorageException(
            ErrorCode.FORBIDDEN,
            e.getMessage()
                + ": add the name to backups.secrets or shares.secrets of the chart's values",
            e);
      }
      throw e;
    }
  }

  private String collection() {
    return "/api/v1/namespaces/" + connection.namespace() + "/secrets";
  }

  private Optional<Map<String, byte[]>> values(String object) throws StorageException {
    KubernetesConnection.Answer answer =
        connection.send("GET", collection() + "/" + object, OBJECT, Optional.empty());
    if (answer.status() == 404) {
      return Optional.empty();
    } else if (!answer.isSuccess()) {
      throw failure(object, answer);
    }
    Map<String, byte[]> values = new TreeMap<>();
    for (Map.Entry<String, JsonNode> entry : answer.document().path("data").properties()) {
      values.put(entry.getKey(), decoded(object, entry.getValue().asText()));
    }
    return Optional.of(values);
  }

  private static byte[] decoded(String object, String base64) throws StorageException {
    try {
      return Base64.getDecoder().decode(base64);
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
