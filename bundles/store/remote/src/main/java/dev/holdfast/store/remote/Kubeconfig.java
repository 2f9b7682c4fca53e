package dev.holdfast.store.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Base64;

/** Reads kubeconfigs. */
final class Kubeconfig {
  private Kubeconfig() {}

  /** Reads the current context, see {@link ApiConnection#ofKubeconfig}. */
  static ApiConnection read(Path file) throws StorageException {
    JsonNode config = parse(file);
    JsonNode context = named(config, file, "context", config.path("current-context").asText());
    JsonNode cluster = named(config, file, "cluster", context.path("cluster").asText());
    JsonNode user = named(config, file, "user", context.path("user").asText());
    try {
      return new ApiConnection(
          URI.create(required(cluster.path("server"), file, "server")),
          required(user.path("token"), file, "token"),
          caCertificate(cluster, file));
    } catch (IllegalArgumentException e) {
      throw new StorageException(ErrorCode.INVALID, file + ": " + e.getMessage(), e);
    } catch (IOException e) {
      throw StorageException.io("read the CA certificate that " + file + " names", e);
    }
  }

  /** Writes JSON, see {@link ApiConnection#toKubeconfig}. */
  static String write(ApiConnection connection, String user) {
    String cluster = "holdfast";
    ObjectNode config = new JsonMapper().createObjectNode();
    config.put("apiVersion", "v1").put("kind", "Config");
    byte[] ca = connection.caCertificate().getBytes(StandardCharsets.UTF_8);
    config
        .putArray("clusters")
        .addObject()
        .put("name", cluster)
        .putObject("cluster")
        .put("server", connection.server().toString())
        .put("certificate-authority-data", Base64.getEncoder().encodeToString(ca));
    ObjectNode entry = config.putArray("users").addObject().put("name", user);
    entry.putObject("user").put("token", connection.token());
    ObjectNode context = config.putArray("contexts").addObject().put("name", cluster);
    context.putObject("context").put("cluster", cluster).put("user", user);
    return config.put("current-context", cluster).toPrettyString() + "\n";
  }

  private static JsonNode parse(Path file) throws StorageException {
    try {
      String text = Files.readString(file);
      // A node writes JSON, which is read without loading the much larger YAML parser.
      return text.startsWith("{")
          ? new JsonMapper().readTree(text)
          : new YAMLMapper().readTree(text);
    } catch (NoSuchFileException e) {
      throw new StorageException(
          ErrorCode.NOT_FOUND, "there is no kubeconfig " + file + ": is the node running?", e);
    } catch (com.fasterxml.jackson.core.JacksonException e) {
      throw new StorageException(
          ErrorCode.INVALID, file + ": not a kubeconfig: " + e.getOriginalMessage(), e);
    } catch (IOException e) {
      throw StorageException.io("read " + file, e);
    }
  }

  private static JsonNode named(JsonNode config, Path file, String what, String name)
      throws StorageException {
    for (JsonNode entry : config.path(what + "s")) {
      if (entry.path("name").asText().equals(name)) {
        return entry.path(what);
      }
    }
    throw new StorageException(
        ErrorCode.INVALID, file + " has no " + what + " named \"" + name + "\"");
  }

  private static String required(JsonNode value, Path file, String what) throws StorageException {
    if (!value.isTextual() || value.textValue().isEmpty()) {
      throw new StorageException(
          ErrorCode.INVALID, file + " has no " + what + " in its current context");
    }
    return value.textValue();
  }

  private static String caCertificate(JsonNode cluster, Path file) throws IOException {
    JsonNode data = cluster.path("certificate-authority-data");
    if (data.isTextual()) {
      return new String(Base64.getDecoder().decode(data.textValue()), StandardCharsets.UTF_8);
    }
    JsonNode path = cluster.path("certificate-authority");
    return path.isTextual()
        ? Files.readString(file.toAbsolutePath().resolveSibling(path.textValue()))
        : "";
  }
}
