package dev.holdfast.certificates;

import dev.holdfast.error.StorageException;
import java.util.Optional;
import org.osgi.annotation.versioning.ProviderType;

/**
 * Replacement of the cluster's authority by a new one, on the node that has its key. Each step is
 * recorded before it takes effect, and the next start of the node completes it. Thread-safe.
 *
 * <pre>
 *   (none) ── begin ──► TRUST ── sign ──► SIGN ── finish ──► (none)
 * </pre>
 *
 * <p>While the new authority signs, each certificate carries one of the new authority that the old
 * one has signed. A peer that knows only one of the two therefore accepts it.
 */
@ProviderType
public interface AuthorityRotation {
  /** State of a rotation. */
  enum Step {
    /** The old authority signs. Nodes learn to trust the new one. */
    TRUST,
    /** The new authority signs. Nodes still trust the old one. */
    SIGN
  }

  /**
   * Returns how far the rotation is; empty while none runs.
   *
   * @throws StorageException IO
   */
  Optional<Step> step() throws StorageException;

  /**
   * Makes a new authority, which this node trusts from now on. Does nothing while a rotation runs.
   *
   * @throws StorageException UNSUPPORTED when the authority's key is not on this node; INVALID when
   *     the key does not fit; IO, NO_SPACE
   */
  void begin() throws StorageException;

  /**
   * Has the new authority sign from now on, and this node's own certificate first. Does nothing
   * when it signs already.
   *
   * @throws StorageException INVALID while no rotation runs; IO, NO_SPACE
   */
  void sign() throws StorageException;

  /**
   * Removes the old authority: from now on this node trusts the new one only. Does nothing while no
   * rotation runs.
   *
   * @throws StorageException INVALID while the old authority still signs; IO, NO_SPACE
   */
  void finish() throws StorageException;
}
