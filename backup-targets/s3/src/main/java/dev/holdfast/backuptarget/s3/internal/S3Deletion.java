package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.List;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.DeleteObjectsRequest;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Error;

/** Deletes objects, up to a thousand with one request. */
final class S3Deletion {
  private static final int BATCH = 1000;
  private static final int SHOWN = 3;

  private final S3Address address;
  private final S3Clients clients;
  private final S3Failures failures;

  S3Deletion(S3Address address, S3Clients clients, S3Failures failures) {
    this.address = address;
    this.clients = clients;
    this.failures = failures;
  }

  void delete(List<String> keys) throws StorageException {
    for (int from = 0; from < keys.size(); from += BATCH) {
      batch(keys.subList(from, Math.min(keys.size(), from + BATCH)));
    }
  }

  private void batch(List<String> keys) throws StorageException {
    List<ObjectIdentifier> names =
        keys.stream()
            .map(key -> ObjectIdentifier.builder().key(address.name(key)).build())
            .toList();
    DeleteObjectsRequest request =
        DeleteObjectsRequest.builder()
            .bucket(address.bucket())
            .delete(Delete.builder().objects(names).quiet(true).build())
            .overrideConfiguration(config -> config.apiCallTimeout(clients.limit(0)))
            .build();
    DeleteObjectsResponse response =
        failures.ask(
            "deletion of " + summary(keys), () -> clients.repeating().deleteObjects(request));
    List<S3Error> kept =
        response.errors().stream().filter(error -> !"NoSuchKey".equals(error.code())).toList();
    if (!kept.isEmpty()) {
      throw failed(kept);
    }
  }

  private StorageException failed(List<S3Error> kept) {
    boolean refused =
        kept.stream()
            .map(S3Error::code)
            .anyMatch(code -> "AccessDenied".equals(code) || "InvalidRequest".equals(code));
    List<String> causes =
        kept.stream()
            .limit(SHOWN)
            .map(error -> key(error) + " (" + S3Failures.plain(error.code()) + ")")
            .toList();
    return failures.of(
        refused ? ErrorCode.FORBIDDEN : ErrorCode.IO,
        "deletion",
        kept.size()
            + " objects are not deleted: "
            + String.join(", ", causes)
            + (kept.size() > SHOWN ? ", …" : "")
            + (refused ? ": allow the access key to delete, or wait for the retention's end" : ""));
  }

  private String key(S3Error error) {
    String name = String.valueOf(error.key()).replaceAll("\\p{Cntrl}", "?");
    return name.startsWith(address.root()) ? name.substring(address.root().length()) : name;
  }

  private static String summary(List<String> keys) {
    return keys.size() == 1 ? "object " + keys.get(0) : keys.size() + " objects";
  }
}
