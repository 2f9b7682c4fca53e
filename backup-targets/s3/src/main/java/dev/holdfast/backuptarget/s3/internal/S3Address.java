package dev.holdfast.backuptarget.s3.internal;

import dev.holdfast.backuptarget.TargetUrl;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A place in a bucket: {@code s3://BUCKET@REGION/PATH/}, as Longhorn writes it.
 *
 * @param bucket name of the bucket, not null
 * @param region of the bucket, not null
 * @param root begins the names of all objects, without a leading slash and with a trailing one;
 *     empty for the whole bucket; not null
 */
record S3Address(String bucket, String region, String root) {
  private static final Pattern BUCKET = Pattern.compile("[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]");
  private static final Pattern REGION = Pattern.compile("[a-z0-9][a-z0-9-]{0,62}");

  static S3Address of(TargetUrl url) throws StorageException {
    url.requireParameters(Set.of(), "a bucket has none");
    int at = url.authority().indexOf('@');
    if (at < 0) {
      throw invalid(
          "\""
              + url.authority()
              + "\": names no region: use s3://BUCKET@REGION/PATH/, with us-east-1 where the server"
              + " has none");
    }
    String bucket = url.authority().substring(0, at);
    String region = url.authority().substring(at + 1);
    if (!BUCKET.matcher(bucket).matches()) {
      throw invalid(
          "bucket \"" + bucket + "\": expected 3 to 63 lower-case letters, digits, dots, dashes");
    }
    if (!REGION.matcher(region).matches()) {
      throw invalid("region \"" + region + "\": expected a name such as us-east-1");
    }
    return new S3Address(bucket, region, url.keyPrefix());
  }

  private static StorageException invalid(String reason) {
    return new StorageException(ErrorCode.INVALID, "backup target: " + reason);
  }

  /** Returns the name in the bucket of the object of a key. */
  String name(String key) {
    return root + key;
  }

  /** Returns what messages call the target. */
  @Override
  public String toString() {
    return "backup target s3://" + bucket + "@" + region + "/" + root;
  }
}
