package dev.holdfast.apiserver.internal.auth;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.holdfast.certificates.PrivateFiles;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;

/** The token and the kubeconfig in the node's state directory. */
public final class Credentials {
  private static final int TOKEN_BYTES = 32;

  private final Path data;

  public Credentials(Path data) {
    this.data = data;
  }

  /** Returns the token, and creates it at the first start. */
  public String token() throws StorageException {
    Path file = data.resolve("token");
    try {
      if (!Files.exists(file)) {
        PrivateFiles.createDirectory(data);
        byte[] secret = new byte[TOKEN_BYTES];
        new SecureRandom().nextBytes(secret);
        String token = Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
        PrivateFiles.write(file, (token + "\n").getBytes(StandardCharsets.US_ASCII));
      }
      String token = Files.readString(file).strip();
      if (token.isEmpty()) {
        throw new StorageException(
            ErrorCode.INVALID, file + " is empty: remove it to have a new token made");
      }
      return token;
    } catch (IOException e) {
      throw StorageException.io("read or make " + file, e);
    }
  }

  /**
   * Writes the kubeconfig if it differs from the wanted content. The file is JSON, which is valid
   * YAML.
   */
  public void writeKubeconfig(String url, Path caCertificate, String token)
      throws StorageException {
    Path file = data.resolve("kubeconfig");
    try {
      byte[] wanted =
          (kubeconfig(url, Files.readAllBytes(caCertificate), token).toPrettyString() + "\n")
              .getBytes(StandardCharsets.UTF_8);
      if (!Files.exists(file) || !Arrays.equals(Files.readAllBytes(file), wanted)) {
        PrivateFiles.write(file, wanted);
      }
    } catch (IOException e) {
      throw StorageException.io("write " + file, e);
    }
  }

  private static ObjectNode kubeconfig(String url, byte[] ca, String token) {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.put("apiVersion", "v1");
    config.put("kind", "Config");
    ObjectNode cluster = config.putArray("clusters").addObject();
    cluster.put("name", "holdfast");
    cluster
        .putObject("cluster")
        .put("server", url)
        .put("certificate-authority-data", Base64.getEncoder().encodeToString(ca));
    ObjectNode user = config.putArray("users").addObject();
    user.put("name", "admin");
    user.putObject("user").put("token", token);
    ObjectNode context = config.putArray("contexts").addObject();
    context.put("name", "holdfast");
    context.putObject("context").put("cluster", "holdfast").put("user", "admin");
    config.put("current-context", "holdfast");
    return config;
  }
}
