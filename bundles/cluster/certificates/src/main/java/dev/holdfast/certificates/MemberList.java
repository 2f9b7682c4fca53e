package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.util.Map;
import org.osgi.annotation.versioning.ProviderType;

/**
 * The nodes that may connect to this one, according to the store's last list. The list is kept
 * while the store is unreachable, also across a restart. Until the first list arrives, every node
 * with a certificate of the cluster's authority may connect. Thread-safe.
 */
@ProviderType
public interface MemberList {
  /** Represents the key of a member that does not publish it, as in release 0.2.0. */
  String ANY_KEY = "";

  /**
   * Replaces the list; this node is always a member. {@link NodeTls#peerName} then uses the new
   * list.
   *
   * @param keys key of each member by its name, in the form of {@link NodeTls#keyFingerprint}, or
   *     {@link #ANY_KEY}; not null
   * @throws StorageException IO, NO_SPACE when the list could not be stored for the next start; it
   *     is in force nevertheless
   */
  void replace(Map<String, String> keys) throws StorageException;
}
