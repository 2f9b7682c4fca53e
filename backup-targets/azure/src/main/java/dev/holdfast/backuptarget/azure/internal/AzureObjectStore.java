package dev.holdfast.backuptarget.azure.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Objects as block blobs in a container, below a prefix. One request for each object. */
final class AzureObjectStore implements ObjectStore {
  /** An answer that is not the content of an object is short. */
  private static final int SHORT = 64 << 10;

  private final AzureAddress address;
  private final AzureRequests requests;
  private final AzureAnswers answers;

  AzureObjectStore(AzureAddress address, AzureRequests requests) {
    this.address = address;
    this.requests = requests;
    this.answers = new AzureAnswers(address, requests);
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return Set.of(StoreCapability.CREATE_IF_ABSENT, StoreCapability.REPLACE_IF_SAME);
  }

  private static String named(String key) {
    return "object " + key;
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    ObjectKeys.check(key);
    if (options.retainUntil().isPresent()) {
      throw requests.failure(ErrorCode.UNSUPPORTED, named(key), "retention is not supported");
    }
    Map<String, String> headers = new HashMap<>();
    headers.put("x-ms-blob-type", "BlockBlob");
    headers.put("content-type", "application/octet-stream");
    if (options.ifAbsent()) {
      headers.put("if-none-match", "*");
    }
    options.ifTag().ifPresent(tag -> headers.put("if-match", tag));
    boolean conditional = options.ifAbsent() || options.ifTag().isPresent();
    AzureRequests.Request request =
        new AzureRequests.Request(
            "PUT", address.name(key), Map.of(), headers, content, !conditional);
    HttpResponse<byte[]> answer = requests.send(named(key), request, SHORT);
    if (answer.statusCode() != 201) {
      StorageException failure = answers.failure(named(key), answer);
      throw options.ifTag().isPresent() && failure.code() == ErrorCode.NOT_FOUND
          ? requests.failure(ErrorCode.CONFLICT, named(key), "does not exist")
          : failure;
    }
    return described(key, request.length(), answer);
  }

  private StoredObject described(String key, long size, HttpResponse<byte[]> answer)
      throws StorageException {
    Optional<String> tag = answer.headers().firstValue("etag");
    Optional<String> modified = answer.headers().firstValue("last-modified");
    if (tag.isEmpty() || modified.isEmpty()) {
      throw requests.failure(ErrorCode.IO, named(key), "the answer lacks its tag or its time");
    }
    return new StoredObject(key, size, tag.get(), time(key, modified.get()));
  }

  private Instant time(String key, String text) throws StorageException {
    try {
      return ZonedDateTime.parse(text, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    } catch (DateTimeException e) {
      throw requests.failure(ErrorCode.IO, named(key), "the answer has a wrong time");
    }
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    ObjectKeys.check(key);
    if (!target.hasRemaining()) {
      // A range cannot be empty.
      if (stat(key).isEmpty()) {
        throw requests.failure(ErrorCode.NOT_FOUND, named(key), "does not exist");
      }
      return;
    }
    int wanted = target.remaining();
    String range = "bytes=" + offset + "-" + (offset + wanted - 1);
    HttpResponse<byte[]> answer =
        requests.send(
            named(key),
            request("GET", address.name(key), Map.of("x-ms-range", range)),
            Math.max(wanted, SHORT));
    if (answer.statusCode() != 206 && answer.statusCode() != 200) {
      throw answers.failure(named(key), answer);
    }
    String got = answer.headers().firstValue("content-range").orElse("");
    if (got.isEmpty() ? offset > 0 : !got.startsWith("bytes " + offset + "-")) {
      throw requests.failure(
          ErrorCode.IO, named(key), "the server answers with another range than was asked for");
    }
    if (answer.body().length < wanted) {
      throw requests.failure(ErrorCode.IO, named(key), "ends before byte " + (offset + wanted));
    }
    target.put(answer.body(), 0, wanted);
  }

  private static AzureRequests.Request request(
      String method, String name, Map<String, String> headers) {
    return new AzureRequests.Request(method, name, Map.of(), headers, List.of(), true);
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    ObjectKeys.check(key);
    HttpResponse<byte[]> answer =
        requests.send(named(key), request("HEAD", address.name(key), Map.of()), SHORT);
    if (answer.statusCode() != 200) {
      StorageException failure = answers.failure(named(key), answer);
      if (failure.code() == ErrorCode.NOT_FOUND) {
        return Optional.empty();
      }
      throw failure;
    }
    long size = answer.headers().firstValueAsLong("content-length").orElse(-1);
    if (size < 0) {
      throw requests.failure(ErrorCode.IO, named(key), "the answer lacks its size");
    }
    return Optional.of(described(key, size, answer));
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    for (String key : keys) {
      ObjectKeys.check(key);
    }
    for (String key : keys) {
      HttpResponse<byte[]> answer =
          requests.send(named(key), request("DELETE", address.name(key), Map.of()), SHORT);
      if (answer.statusCode() != 202) {
        StorageException failure = answers.failure(named(key), answer);
        if (failure.code() != ErrorCode.NOT_FOUND) {
          throw failure;
        }
      }
    }
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    new AzureListing(address, requests, answers, prefix).run(after, visitor);
  }

  @Override
  public void close() {
    requests.close();
  }
}
