package dev.holdfast.itests;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The API of a node, by its kubeconfig, as an orchestrator uses it; faster than a command for each
 * step. Thread-safe.
 */
final class Api {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final String server;
  private final String token;
  private final HttpClient client;

  Api(Path kubeconfig) {
    try {
      JsonNode config = JSON.readTree(Files.readString(kubeconfig));
      JsonNode cluster = config.at("/clusters/0/cluster");
      server = cluster.path("server").asText();
      token = config.at("/users/0/user/token").asText();
      byte[] authority =
          Base64.getDecoder().decode(cluster.path("certificate-authority-data").asText());
      client = HttpClient.newBuilder().sslContext(trusting(authority)).build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("no TLS with the authority of " + kubeconfig, e);
    }
  }

  private static SSLContext trusting(byte[] authority)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    CertificateFactory certificates = CertificateFactory.getInstance("X.509");
    store.setCertificateEntry(
        "authority", certificates.generateCertificate(new ByteArrayInputStream(authority)));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return context;
  }

  JsonNode get(String kinds, String name) {
    return succeeded("GET", kinds + "/" + name, null, "");
  }

  List<JsonNode> items(String kinds) {
    List<JsonNode> items = new ArrayList<>();
    succeeded("GET", kinds, null, "").path("items").forEach(items::add);
    return items;
  }

  /** Returns the active engine of a volume; the only one where an older release stored none. */
  JsonNode engineOf(String volume) {
    String active = get("volumes", volume).at("/status/activeEngine").asText("");
    return items("engines").stream()
        .filter(engine -> engine.at("/spec/volume").asText().equals(volume))
        .filter(e -> active.isEmpty() || e.at("/metadata/name").asText().equals(active))
        .findFirst()
        .orElseThrow();
  }

  /** Creates a resource whose spec is filled in. */
  JsonNode create(String kinds, String kind, String name, Consumer<ObjectNode> spec) {
    ObjectNode resource = JSON.createObjectNode();
    resource.put("apiVersion", "holdfast.dev/v1").put("kind", kind);
    resource.putObject("metadata").put("name", name);
    spec.accept(resource.putObject("spec"));
    return succeeded("POST", kinds, resource, "application/json");
  }

  /** Merges what is filled in into the spec of a resource. */
  JsonNode patch(String kinds, String name, Consumer<ObjectNode> spec) {
    ObjectNode change = JSON.createObjectNode();
    spec.accept(change.putObject("spec"));
    return succeeded("PATCH", kinds + "/" + name, change, "application/merge-patch+json");
  }

  /** Deletes a resource, which stays while it has finalizers. */
  void delete(String kinds, String name) {
    var unused = succeeded("DELETE", kinds + "/" + name, null, "");
  }

  private JsonNode succeeded(String method, String path, JsonNode body, String type) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server + "/apis/holdfast.dev/v1/" + path))
            .timeout(PATIENCE)
            .header("Authorization", "Bearer " + token);
    if (body == null) {
      request.method(method, HttpRequest.BodyPublishers.noBody());
    } else {
      request
          .header("Content-Type", type)
          .method(method, HttpRequest.BodyPublishers.ofString(body.toString()));
    }
    try {
      HttpResponse<String> answer =
          client.send(request.build(), HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode())
          .as("%s %s%n%s", method, path, answer.body())
          .isBetween(200, 299);
      return JSON.readTree(answer.body());
    } catch (IOException e) {
      throw new UncheckedIOException(method + " " + path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted during " + method + " " + path, e);
    }
  }
}
