package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.ObjectKeys;
import dev.holdfast.backuptarget.ObjectVisitor;
import dev.holdfast.backuptarget.StoredObject;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.nio.charset.StandardCharsets;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * One listing, page by page. A server whose pages do not ascend, or do not advance, is refused:
 * readers trust the order.
 */
final class S3Listing {
  private static final int PAGE = 1000;

  private final S3Address address;
  private final S3Clients clients;
  private final S3Failures failures;
  private final String prefix;
  private String last = "";

  S3Listing(S3Address address, S3Clients clients, S3Failures failures, String prefix) {
    this.address = address;
    this.clients = clients;
    this.failures = failures;
    this.prefix = prefix;
  }

  void run(String after, ObjectVisitor visitor) throws StorageException {
    String token = null;
    do {
      ListObjectsV2Response page = page(after, token);
      for (S3Object object : page.contents()) {
        visit(object, after, visitor);
      }
      String next = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
      if (Boolean.TRUE.equals(page.isTruncated()) && (next == null || next.equals(token))) {
        throw wrong("does not say where its next page begins");
      }
      token = next;
    } while (token != null);
  }

  private ListObjectsV2Response page(String after, String token) throws StorageException {
    ListObjectsV2Request.Builder request =
        ListObjectsV2Request.builder()
            .bucket(address.bucket())
            .prefix(address.name(prefix))
            .maxKeys(PAGE)
            .continuationToken(token)
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(0)));
    if (!after.isEmpty()) {
      request.startAfter(address.name(after));
    }
    return failures.ask(
        "list of \"" + prefix + "\"", () -> clients.repeating().listObjectsV2(request.build()));
  }

  private void visit(S3Object object, String after, ObjectVisitor visitor) throws StorageException {
    String name = object.key();
    if (name == null || object.size() == null || object.lastModified() == null) {
      throw wrong("has an incomplete entry");
    }
    if (!name.startsWith(address.name(prefix)) || compare(name, last) <= 0) {
      throw wrong("is not in ascending order");
    }
    last = name;
    String key = name.substring(address.root().length());
    if (ObjectKeys.isValid(key) && (after.isEmpty() || compare(key, after) > 0)) {
      visitor.object(
          new StoredObject(
              key,
              object.size(),
              S3ObjectStore.tag(object.eTag()),
              // As in the answers about one object.
              object.lastModified().truncatedTo(ChronoUnit.SECONDS)));
    }
  }

  private StorageException wrong(String problem) {
    return failures.of(
        ErrorCode.IO, "list of \"" + prefix + "\"", "the answer of the server " + problem);
  }

  private static int compare(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }
}
