package dev.holdfast.backuptarget;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Opens backup targets of one URL scheme. A bundle registers its provider as an OSGi service and
 * lists it in {@code META-INF/services}, which the command-line program uses. Thread-safe.
 */
@ConsumerType
public interface BackupTargetProvider {
  /** Returns the supported URL schemes in lower case, for example {@code s3}; never empty. */
  List<String> schemes();

  /** Returns the credentials that this provider reads, for documents and checks; never null. */
  List<CredentialKey> credentials();

  /**
   * Opens a target without creating anything there. If the target does not answer, this call or the
   * first call on the store fails.
   *
   * @param url whose scheme is one of {@link #schemes()}, not null
   * @param credentials values by key, not null; keys that the provider does not know are ignored
   * @param options time limits and the number of connections, not null
   * @return the store, which the caller closes; never null
   * @throws StorageException INVALID for a malformed URL or credential, with its name; UNREACHABLE
   *     or NOT_FOUND when the target is absent
   */
  ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException;
}
