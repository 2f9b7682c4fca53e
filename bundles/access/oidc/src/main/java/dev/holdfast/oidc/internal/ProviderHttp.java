package dev.holdfast.oidc.internal;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** Requests to the provider. Its answers are limited in time and size. Thread-safe. */
final class ProviderHttp {
  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int LARGEST = 1 << 20;

  private final HttpClient client =
      HttpClient.newBuilder()
          .connectTimeout(CONNECT_LIMIT)
          .followRedirects(HttpClient.Redirect.NEVER)
          .build();
  private final ObjectMapper mapper = new ObjectMapper();

  /**
   * An answer of the provider.
   *
   * @param code HTTP status code
   * @param body body as JSON; JSON null for other content
   */
  record Answer(int code, JsonNode body) {
    boolean isOk() {
      return code == 200;
    }
  }

  Answer get(URI address) throws StorageException {
    return send(address, HttpRequest.newBuilder(address).GET());
  }

  /** Sends a form, with an Authorization header of user and password unless empty. */
  Answer post(URI address, Map<String, String> form, String authorization) throws StorageException {
    String body =
        form.entrySet().stream()
            .map(field -> field.getKey() + "=" + encoded(field.getValue()))
            .collect(Collectors.joining("&"));
    HttpRequest.Builder request =
        HttpRequest.newBuilder(address)
            .header("Content-Type", "application/x-www-form-urlencoded")
            .POST(HttpRequest.BodyPublishers.ofString(body));
    if (!authorization.isEmpty()) {
      request.header("Authorization", authorization);
    }
    return send(address, request);
  }

  static String encoded(String value) {
    return URLEncoder.encode(value, StandardCharsets.UTF_8);
  }

  private Answer send(URI address, HttpRequest.Builder request) throws StorageException {
    try {
      HttpResponse<InputStream> response =
          client.send(
              request.header("Accept", "application/json").timeout(LIMIT).build(),
              HttpResponse.BodyHandlers.ofInputStream());
      try (InputStream in = response.body()) {
        byte[] body = in.readNBytes(LARGEST + 1);
        if (body.length > LARGEST) {
          throw new IOException("the answer is larger than " + LARGEST + " bytes");
        }
        return new Answer(response.statusCode(), json(body));
      }
    } catch (IOException e) {
      throw new StorageException(
          ErrorCode.UNREACHABLE,
          "the identity provider did not answer at " + place(address) + ": " + e.getMessage(),
          e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StorageException(ErrorCode.UNREACHABLE, "the request was interrupted", e);
    }
  }

  private JsonNode json(byte[] body) throws IOException {
    try {
      return mapper.readTree(body);
    } catch (JsonProcessingException e) {
      return mapper.nullNode();
    }
  }

  /** Returns an address without its parameters, which may contain secrets. */
  static String place(URI address) {
    return address.getScheme() + "://" + address.getAuthority() + address.getPath();
  }
}
