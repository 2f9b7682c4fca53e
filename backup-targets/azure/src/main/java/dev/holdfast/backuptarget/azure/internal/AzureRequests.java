package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.StoreOptions;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLException;

/**
 * Sends signed requests, each within a time limit, at most as many at a time as the options allow.
 * Thread-safe.
 */
final class AzureRequests implements AutoCloseable {
  private static final String VERSION = "2021-08-06";
  private static final int TRIES = 3;

  /** A slower transfer is given up. */
  private static final long LEAST_BYTES_PER_SECOND = 128 << 10;

  private final AzureAddress address;
  private final AzureAccount account;
  private final StoreOptions options;
  private final HttpClient client;
  private final Semaphore connections;
  private volatile boolean closed;

  /**
   * A request.
   *
   * @param method of HTTP
   * @param name of the object in the container; empty for the container
   * @param parameters of the query, decoded
   * @param headers by names in lower case
   * @param content the body in order
   * @param repeated whether a brief failure of the server is tried again
   */
  record Request(
      String method,
      String name,
      Map<String, String> parameters,
      Map<String, String> headers,
      List<ByteBuffer> content,
      boolean repeated) {
    long length() {
      return content.stream().mapToLong(ByteBuffer::remaining).sum();
    }
  }

  AzureRequests(AzureAddress address, AzureAccount account, StoreOptions options) {
    this.address = address;
    this.account = account;
    this.options = options;
    this.connections = new Semaphore(options.connections());
    this.client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(options.connect())
            .followRedirects(HttpClient.Redirect.NEVER)
            .build();
  }

  /**
   * Sends a request until the server answers other than with a brief failure.
   *
   * @param object what messages call the subject
   * @param most bytes that the body of the answer may have
   * @throws StorageException UNREACHABLE or TIMEOUT without an answer; IO when its body is longer
   */
  HttpResponse<byte[]> send(String object, Request request, int most) throws StorageException {
    for (int attempt = 1; ; attempt++) {
      boolean last = attempt == TRIES || !request.repeated();
      try {
        HttpResponse<byte[]> response = once(object, request, most);
        if (last || !isBrief(response.statusCode())) {
          return response;
        }
      } catch (StorageException e) {
        if (last || closed || e.code() != ErrorCode.UNREACHABLE) {
          throw e;
        }
      }
      pause(object, attempt);
    }
  }

  private static boolean isBrief(int status) {
    return status == 500 || status == 503;
  }

  private void pause(String object, int attempt) throws StorageException {
    try {
      TimeUnit.MILLISECONDS.sleep(100L << attempt);
    } catch (InterruptedException e) {
      throw interrupted(object);
    }
  }

  private HttpResponse<byte[]> once(String object, Request request, int most)
      throws StorageException {
    Duration limit =
        options.request().plusSeconds(Math.max(request.length(), most) / LEAST_BYTES_PER_SECOND);
    HttpRequest http = http(request, limit);
    try {
      connections.acquire();
    } catch (InterruptedException e) {
      throw interrupted(object);
    }
    try {
      if (closed) {
        throw failure(ErrorCode.UNREACHABLE, object, "the store was closed");
      }
      return await(object, client.sendAsync(http, answer -> new BoundedBody(most)), limit);
    } finally {
      connections.release();
    }
  }

  private HttpResponse<byte[]> await(
      String object, CompletableFuture<HttpResponse<byte[]>> answer, Duration limit)
      throws StorageException {
    try {
      return answer.get(limit.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw failure(ErrorCode.TIMEOUT, object, "the server did not answer in time");
    } catch (InterruptedException e) {
      answer.cancel(true);
      throw interrupted(object);
    } catch (ExecutionException e) {
      throw unanswered(object, e.getCause());
    }
  }

  private StorageException unanswered(String object, Throwable cause) {
    if (cause instanceof BoundedBody.TooLongException) {
      return failure(
          ErrorCode.IO, object, "the server answers with more bytes than were asked for");
    } else if (cause instanceof HttpConnectTimeoutException || cause instanceof ConnectException) {
      return failure(
          ErrorCode.UNREACHABLE,
          object,
          "no connection to the server: correct AZBLOB_ENDPOINT of the secret");
    } else if (cause instanceof HttpTimeoutException) {
      return failure(ErrorCode.TIMEOUT, object, "the server did not answer in time");
    } else if (cause instanceof SSLException) {
      return failure(
          ErrorCode.UNREACHABLE,
          object,
          "no trusted TLS connection: add the server's certificate to those that the JVM trusts");
    }
    String kind = cause instanceof IOException ? "the connection broke off" : "the request failed";
    return failure(ErrorCode.UNREACHABLE, object, kind + ": " + cause.getClass().getSimpleName());
  }

  private StorageException interrupted(String object) {
    Thread.currentThread().interrupt();
    return failure(ErrorCode.TIMEOUT, object, "the call was interrupted");
  }

  StorageException failure(ErrorCode code, String object, String problem) {
    return new StorageException(code, address + ": " + object + ": " + problem);
  }

  private HttpRequest http(Request request, Duration limit) {
    StringBuilder text =
        new StringBuilder(account.endpoint()).append('/').append(address.container());
    if (!request.name().isEmpty()) {
      for (String part : request.name().split("/", -1)) {
        text.append('/').append(encoded(part));
      }
    }
    char separator = '?';
    for (Map.Entry<String, String> parameter : request.parameters().entrySet()) {
      text.append(separator).append(parameter.getKey()).append('=');
      text.append(encoded(parameter.getValue()));
      separator = '&';
    }
    URI uri = URI.create(text.toString());
    Map<String, String> headers = new TreeMap<>(request.headers());
    headers.put("x-ms-version", VERSION);
    headers.put(
        "x-ms-date",
        DateTimeFormatter.RFC_1123_DATE_TIME.format(ZonedDateTime.now(ZoneOffset.UTC)));
    HttpRequest.Builder http =
        HttpRequest.newBuilder(uri)
            .timeout(limit)
            .method(request.method(), ContentPublisher.of(request.content()));
    headers.forEach(http::header);
    http.header(
        "Authorization",
        account.authorization(
            request.method(), uri, request.length(), headers, request.parameters()));
    return http.build();
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20").replace("*", "%2A");
  }

  @Override
  public void close() {
    closed = true;
  }
}
