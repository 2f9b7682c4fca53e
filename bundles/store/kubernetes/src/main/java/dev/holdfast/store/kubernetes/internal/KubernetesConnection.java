package dev.holdfast.store.kubernetes.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.json.ResourceJson;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Requests to the API server of a cluster. The client library supplies the address and the
 * credentials (certificates, renewed tokens, exec plugins, the service account of a pod). This
 * class builds requests and interprets responses. Thread-safe.
 */
final class KubernetesConnection implements AutoCloseable {
  /** Namespace of leases if neither the settings nor the kubeconfig name one. */
  static final String DEFAULT_NAMESPACE = "holdfast-system";

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(30);

  private final KubernetesClient client;
  private final HttpClient http;
  private final String server;
  private final String namespace;
  private final ResourceJson json;
  private final AtomicLong refusals = new AtomicLong();

  /**
   * A response of the server.
   *
   * @param status HTTP status
   * @param document the body, missing when it is not JSON
   */
  record Answer(int status, JsonNode document) {
    boolean isSuccess() {
      return status / 100 == 2;
    }
  }

  private KubernetesConnection(Config config, String namespace, ResourceJson json) {
    config.setRequestRetryBackoffLimit(0);
    config.setConnectionTimeout((int) CONNECT_LIMIT.toMillis());
    config.setRequestTimeout((int) ANSWER_LIMIT.toMillis());
    config.setUserAgent("holdfast");
    this.client = build(config);
    this.http = client.getHttpClient();
    this.server = config.getMasterUrl().replaceAll("/+$", "");
    this.namespace = namespace;
    this.json = json;
  }

  /**
   * Prepares a connection; connects at the first use.
   *
   * @param kubeconfig the file, empty for the service account of this process's pod
   * @param namespace for leases; empty for the kubeconfig's, or {@link #DEFAULT_NAMESPACE}
   * @throws StorageException NOT_FOUND when the file is absent; INVALID when it is not a kubeconfig
   */
  static KubernetesConnection open(
      Optional<Path> kubeconfig, Optional<String> namespace, ResourceJson json)
      throws StorageException {
    Config config = inOwnLoader(() -> configure(kubeconfig));
    String chosen =
        namespace
            .or(() -> Optional.ofNullable(config.getNamespace()).filter(n -> !n.isBlank()))
            .orElse(DEFAULT_NAMESPACE);
    return inOwnLoader(() -> new KubernetesConnection(config, chosen, json));
  }

  private static Config configure(Optional<Path> kubeconfig) throws StorageException {
    if (kubeconfig.isEmpty()) {
      return Config.autoConfigure(null);
    }
    Path file = kubeconfig.get();
    if (!Files.isReadable(file)) {
      throw new StorageException(ErrorCode.NOT_FOUND, "there is no readable kubeconfig " + file);
    }
    try {
      Config config = Config.fromKubeconfig(file.toFile());
      if (config.getMasterUrl() == null || config.getCurrentContext() == null) {
        throw new StorageException(
            ErrorCode.INVALID, file + " names no server: it has no current context");
      }
      return config;
    } catch (RuntimeException e) {
      throw new StorageException(
          ErrorCode.INVALID, file + ": not a kubeconfig: " + e.getMessage(), e);
    }
  }

  private static KubernetesClient build(Config config) {
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  private interface Making<T> {
    T make() throws StorageException;
  }

  /** The client finds its parts by the thread's context class loader, which differs in OSGi. */
  private static <T> T inOwnLoader(Making<T> making) throws StorageException {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(KubernetesConnection.class.getClassLoader());
    try {
      return making.make();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  String server() {
    return server;
  }

  String namespace() {
    return namespace;
  }

  /**
   * Sends a request. While the server responds 429, repeats the request after the time that the
   * server names, up to a limit.
   *
   * @param type content type of the body
   * @throws StorageException UNREACHABLE, TIMEOUT: it is unknown whether it was carried out; BUSY
   *     when the server still responds with Retry-After
   */
  Answer send(String method, String pathAndQuery, String type, Optional<String> body)
      throws StorageException {
    Patience patience = new Patience();
    while (true) {
      HttpRequest request =
          request(pathAndQuery)
              .method(method, body.isPresent() ? type : null, body.orElse(null))
              .timeout(ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
              .build();
      HttpResponse<String> response = await(http.sendAsync(request, String.class));
      if (response.code() != 429) {
        return new Answer(response.code(), parse(response.body()));
      }
      refusals.incrementAndGet();
      patience.await(server, Optional.ofNullable(response.header("Retry-After")));
    }
  }

  /** Returns how often the server responded 429. */
  long refusals() {
    return refusals.get();
  }

  /**
   * Opens a stream of documents.
   *
   * @return the stream, or the response that came instead
   * @throws StorageException as {@link #send}
   */
  Opened open(String pathAndQuery) throws StorageException {
    HttpRequest request = request(pathAndQuery).forStreaming().build();
    HttpResponse<InputStream> response = await(http.sendAsync(request, InputStream.class));
    if (response.code() == 200) {
      return new Opened(Optional.of(response.body()), new Answer(200, MissingNode.getInstance()));
    }
    try (InputStream in = response.body()) {
      String body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return new Opened(Optional.empty(), new Answer(response.code(), parse(body)));
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** Result of opening a stream: the stream, or a refusal. */
  record Opened(Optional<InputStream> stream, Answer answer) {}

  private HttpRequest.Builder request(String pathAndQuery) {
    HttpRequest.Builder request = http.newHttpRequestBuilder();
    request.uri(server + pathAndQuery);
    request.header("Accept", "application/json");
    return request;
  }

  private <T> HttpResponse<T> await(CompletableFuture<HttpResponse<T>> sent)
      throws StorageException {
    try {
      return sent.get(ANSWER_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } catch (TimeoutException e) {
      sent.cancel(true);
      throw new StorageException(
          ErrorCode.TIMEOUT,
          server + " did not answer within " + ANSWER_LIMIT.toSeconds() + " s",
          e);
    } catch (InterruptedException e) {
      sent.cancel(true);
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "interrupted while " + server + " was answering", e);
    }
  }

  /** Returns the error of a broken connection. */
  StorageException failure(Throwable cause) {
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "the API server " + server + " cannot be reached: " + cause.getMessage(),
        cause);
  }

  private JsonNode parse(String body) {
    try {
      return json.mapper().readTree(body);
    } catch (JsonProcessingException e) {
      // A proxy responded in another format; only the HTTP status is used.
      return MissingNode.getInstance();
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
