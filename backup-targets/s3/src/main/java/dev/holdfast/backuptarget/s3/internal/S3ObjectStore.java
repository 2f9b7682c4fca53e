package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectStore;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.PutOptions;
import dev.holdfast.backuptarget.StoreCapability;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadBucketRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectRequest;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;

/** Objects in a bucket, below a prefix. One request for each object that is put or read. */
final class S3ObjectStore implements ObjectStore {
  private final S3Address address;
  private final S3Clients clients;
  private final S3Failures failures;
  private final ConditionProbe conditions;

  S3ObjectStore(S3Address address, S3Clients clients, S3Failures failures) {
    this.address = address;
    this.clients = clients;
    this.failures = failures;
    this.conditions = new ConditionProbe(this::send, this::remove);
  }

  @Override
  public Set<StoreCapability> capabilities() {
    return conditions.honoured();
  }

  @Override
  public StoredObject put(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    ObjectKeys.check(key);
    if (options.retainUntil().isPresent()) {
      throw failures.of(ErrorCode.UNSUPPORTED, named(key), "retention is not supported");
    }
    StoreCapability needed =
        options.ifAbsent() ? StoreCapability.CREATE_IF_ABSENT : StoreCapability.REPLACE_IF_SAME;
    boolean conditional = options.ifAbsent() || options.ifTag().isPresent();
    if (conditional && !conditions.honoured().contains(needed)) {
      throw failures.of(
          ErrorCode.UNSUPPORTED, named(key), "the server ignores the conditions of requests");
    }
    return send(key, content, options);
  }

  private StoredObject send(String key, List<ByteBuffer> content, PutOptions options)
      throws StorageException {
    long size = ContentStream.size(content);
    PutObjectRequest.Builder request =
        PutObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.name(key))
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(size)));
    boolean conditional = options.ifAbsent() || options.ifTag().isPresent();
    if (options.ifAbsent()) {
      request.ifNoneMatch("*");
    }
    options.ifTag().ifPresent(tag -> request.ifMatch('"' + tag + '"'));
    S3Client client = conditional ? clients.single() : clients.repeating();
    RequestBody body =
        RequestBody.fromContentProvider(
            () -> new ContentStream(content), size, "application/octet-stream");
    PutObjectResponse response;
    try {
      response = failures.ask(named(key), () -> client.putObject(request.build(), body));
    } catch (StorageException e) {
      throw options.ifTag().isPresent() && e.code() == ErrorCode.NOT_FOUND ? absent(key) : e;
    }
    return new StoredObject(key, size, tag(response.eTag()), answeredAt(key, response));
  }

  /** Returns the failure of a put that demands a tag of an object that does not exist. */
  private StorageException absent(String key) throws StorageException {
    requireBucket();
    return failures.of(ErrorCode.CONFLICT, named(key), "does not exist");
  }

  /** Returns the time of an answer by the server's clock. */
  private Instant answeredAt(String key, PutObjectResponse response) throws StorageException {
    Optional<String> date = response.sdkHttpResponse().firstMatchingHeader("Date");
    if (date.isPresent()) {
      try {
        return ZonedDateTime.parse(date.get(), DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
      } catch (DateTimeException e) {
        // The server's description of the object has a time as well.
        return describe(key).modified();
      }
    }
    return describe(key).modified();
  }

  @Override
  public void get(String key, long offset, ByteBuffer target) throws StorageException {
    ObjectKeys.check(key);
    if (!target.hasRemaining()) {
      // A range cannot be empty.
      describe(key);
      return;
    }
    int wanted = target.remaining();
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.name(key))
            .range("bytes=" + offset + "-" + (offset + wanted - 1))
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(wanted)))
            .build();
    RangeReader reader = new RangeReader(offset, target);
    String problem = failures.ask(named(key), () -> clients.repeating().getObject(request, reader));
    if (!problem.isEmpty()) {
      throw failures.of(ErrorCode.IO, named(key), problem);
    }
  }

  @Override
  public Optional<StoredObject> stat(String key) throws StorageException {
    ObjectKeys.check(key);
    try {
      return Optional.of(describe(key));
    } catch (StorageException e) {
      if (e.code() != ErrorCode.NOT_FOUND) {
        throw e;
      }
      // The answer has no text: it may be the bucket that is missing.
      requireBucket();
      return Optional.empty();
    }
  }

  private StoredObject describe(String key) throws StorageException {
    HeadObjectRequest request =
        HeadObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.name(key))
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(0)))
            .build();
    HeadObjectResponse found =
        failures.ask(named(key), () -> clients.repeating().headObject(request));
    if (found.contentLength() == null || found.lastModified() == null) {
      throw failures.of(ErrorCode.IO, named(key), "the answer of the server is incomplete");
    }
    return new StoredObject(key, found.contentLength(), tag(found.eTag()), found.lastModified());
  }

  private void requireBucket() throws StorageException {
    HeadBucketRequest request =
        HeadBucketRequest.builder()
            .bucket(address.bucket())
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(0)))
            .build();
    try {
      failures.ask("bucket " + address.bucket(), () -> clients.repeating().headBucket(request));
    } catch (StorageException e) {
      if (e.code() == ErrorCode.NOT_FOUND) {
        throw failures.noBucket();
      }
      // The right to look at objects does not include the bucket.
      if (e.code() != ErrorCode.FORBIDDEN) {
        throw e;
      }
    }
  }

  @Override
  public void delete(Collection<String> keys) throws StorageException {
    List<String> valid = new ArrayList<>();
    for (String key : keys) {
      valid.add(ObjectKeys.check(key));
    }
    remove(valid);
  }

  private void remove(List<String> keys) throws StorageException {
    new S3Deletion(address, clients, failures).delete(keys);
  }

  @Override
  public void list(String prefix, String after, ObjectVisitor visitor) throws StorageException {
    new S3Listing(address, clients, failures, prefix).run(after, visitor);
  }

  @Override
  public void close() {
    clients.close();
  }

  private static String named(String key) {
    return "object " + key;
  }

  /** Returns an entity tag without its quotes. */
  static String tag(String header) {
    return header == null ? "" : header.replace("\"", "");
  }
}
