package dev.holdfast.store.remote;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import dev.holdfast.resource.ResourceKind;
import dev.holdfast.resource.json.ResourceJson;
import dev.holdfast.resource.json.StatusErrors;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/** Sends requests to an API server. Thread-safe. */
final class RestClient {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(10);
  private static final Duration ANSWER_LIMIT = Duration.ofSeconds(60);
  private static final Duration UPLOAD_LIMIT = Duration.ofDays(1);

  private final ApiConnection connection;
  private final HttpClient client;
  private final ResourceJson json;

  /** Prepares a client; connects at the first use. */
  RestClient(ApiConnection connection, ResourceJson json) throws StorageException {
    this(connection, TrustedAuthorities.context(connection.caCertificate()), json);
  }

  /** Prepares a client with its own trust settings. */
  RestClient(ApiConnection connection, SSLContext trust, ResourceJson json) {
    this.connection = connection;
    this.json = json;
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_LIMIT)
            .sslContext(trust)
            .build();
  }

  /** Returns the path of a collection. */
  static String path(ResourceKind<?> kind) {
    return "/apis/" + ResourceKind.API_VERSION + "/" + kind.plural();
  }

  /** Returns the path of a resource. */
  static String path(ResourceKind<?> kind, String name) {
    return path(kind) + "/" + encoded(name);
  }

  /** Encodes text for a path or a query. */
  static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  /**
   * Sends a request and returns the document of a successful response.
   *
   * @throws StorageException with the error of the server's Status; UNREACHABLE, also when the
   *     server does not serve the kind; TIMEOUT
   */
  JsonNode send(ResourceKind<?> kind, String method, String pathAndQuery, Optional<String> body)
      throws StorageException {
    HttpRequest.Builder request = request(pathAndQuery);
    request.method(
        method,
        body.map(HttpRequest.BodyPublishers::ofString).orElse(HttpRequest.BodyPublishers.noBody()));
    body.ifPresent(b -> request.header("Content-Type", "application/json"));
    HttpResponse<String> response =
        exchange(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    JsonNode document = parse(response.body());
    if (response.statusCode() / 100 != 2) {
      throw refusal(kind, pathAndQuery, document, response.statusCode());
    }
    return document;
  }

  /** Sends a file as the body of a POST. The duration is unlimited while bytes are transferred. */
  void sendFile(ResourceKind<?> kind, String pathAndQuery, Path file) throws StorageException {
    HttpRequest.Builder request = request(pathAndQuery).timeout(UPLOAD_LIMIT);
    try {
      request.POST(HttpRequest.BodyPublishers.ofFile(file));
    } catch (FileNotFoundException e) {
      throw StorageException.io("read " + file, e);
    }
    request.header("Content-Type", "application/octet-stream");
    HttpResponse<String> response =
        exchange(request.build(), HttpResponse.BodyHandlers.ofString(StandardCharsets.UTF_8));
    if (response.statusCode() / 100 != 2) {
      throw refusal(kind, pathAndQuery, parse(response.body()), response.statusCode());
    }
  }

  /**
   * Opens a stream of documents.
   *
   * @throws StorageException as {@link #send}
   */
  InputStream open(ResourceKind<?> kind, String pathAndQuery) throws StorageException {
    HttpResponse<InputStream> response =
        exchange(request(pathAndQuery).GET().build(), HttpResponse.BodyHandlers.ofInputStream());
    if (response.statusCode() == 200) {
      return response.body();
    }
    try (InputStream in = response.body()) {
      String body = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      throw refusal(kind, pathAndQuery, parse(body), response.statusCode());
    } catch (IOException e) {
      throw failure(e);
    }
  }

  /** An unknown kind is not NOT_FOUND, because its resources may be in the store. */
  private static StorageException refusal(
      ResourceKind<?> kind, String pathAndQuery, JsonNode status, int httpCode) {
    StorageException told = StatusErrors.of(kind, status, httpCode);
    String about = status.path("details").path("kind").asText();
    if (told.code() != ErrorCode.NOT_FOUND
        || !pathAndQuery.startsWith(path(kind))
        || about.equals(kind.plural())
        || about.equals(kind.kind())) {
      return told;
    }
    return new StorageException(
        ErrorCode.UNREACHABLE,
        "the API server does not serve "
            + kind.plural()
            + "."
            + ResourceKind.GROUP
            + ": is the bundle of this kind installed on its node? ("
            + told.getMessage()
            + ")");
  }

  private HttpRequest.Builder request(String pathAndQuery) {
    String base = connection.server().toString().replaceAll("/+$", "");
    return HttpRequest.newBuilder(URI.create(base + pathAndQuery))
        .timeout(ANSWER_LIMIT)
        .header("Accept", "application/json")
        .header("User-Agent", "holdfast")
        .header("Authorization", "Bearer " + connection.token());
  }

  private <T> HttpResponse<T> exchange(HttpRequest request, HttpResponse.BodyHandler<T> handler)
      throws StorageException {
    try {
      return client.send(request, handler);
    } catch (IOException e) {
      throw failure(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(
          ErrorCode.TIMEOUT, "interrupted while " + connection.server() + " was answering", e);
    }
  }

  /** Returns the error of a broken connection. */
  StorageException failure(IOException e) {
    String server = connection.server().toString();
    if (e instanceof HttpTimeoutException && !(e instanceof HttpConnectTimeoutException)) {
      return new StorageException(
          ErrorCode.TIMEOUT,
          server
              + " does not answer (overloaded?): no answer within "
              + ANSWER_LIMIT.toSeconds()
              + " s",
          e);
    } else if (e instanceof HttpConnectTimeoutException) {
      return new StorageException(
          ErrorCode.UNREACHABLE, server + " does not answer (overloaded?): " + e.getMessage(), e);
    } else if (e instanceof SSLException) {
      return new StorageException(
          ErrorCode.UNREACHABLE,
          "no trusted connection to "
              + server
              + ": "
              + e.getMessage()
              + "; check the CA"
              + " certificate in the kubeconfig",
          e);
    } else if (e instanceof ConnectException) {
      return new StorageException(
          ErrorCode.UNREACHABLE,
          "no server listens at " + server + ": start the node (holdfast up), or check the address",
          e);
    }
    return new StorageException(
        ErrorCode.UNREACHABLE, "the connection to " + server + " broke: " + e.getMessage(), e);
  }

  private JsonNode parse(String body) {
    try {
      return json.mapper().readTree(body);
    } catch (JsonProcessingException e) {
      // A proxy responded in another format; only the HTTP status is used.
      return MissingNode.getInstance();
    }
  }
}
