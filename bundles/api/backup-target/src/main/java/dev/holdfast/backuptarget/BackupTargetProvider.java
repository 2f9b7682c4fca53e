package dev.holdfast.backuptarget;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Map;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Opens backup targets of one URL scheme. A bundle registers its provider as an OSGi service and
 * lists it in {@code META-INF/services}, which the terminal command uses. Thread-safe.
 */
@ConsumerType
public interface BackupTargetProvider {
  /** Returns the schemes that it understands, lower case, for example {@code s3}; never empty. */
  List<String> schemes();

  /** Returns the credentials that it reads, for documents and for checks; never null. */
  List<CredentialKey> credentials();

  /**
   * Opens a target. Does not create anything there; a target that does not answer is reported by
   * the first call on the store at the latest.
   *
   * @param url whose scheme is one of {@link #schemes()}, not null
   * @param credentials values by key, not null; keys that the provider does not know are ignored
   * @param options time limits and the number of connections, not null
   * @return the store, which the caller closes; never null
   * @throws StorageException INVALID for a URL or a credential that cannot be right, naming it;
   *     UNREACHABLE or NOT_FOUND when the target is not there
   */
  ObjectStore open(TargetUrl url, Map<String, byte[]> credentials, StoreOptions options)
      throws StorageException;
}
