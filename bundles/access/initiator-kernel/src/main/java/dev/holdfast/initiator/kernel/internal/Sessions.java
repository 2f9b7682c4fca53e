package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.Optional;

/**
 * One protocol of the kernel's. What the kernel has is looked up in sysfs by the target's name, at
 * every call: no name of a device and no number of a session is ever remembered or guessed.
 */
interface Sessions {

  /** Returns the initiator's name. */
  String name();

  /** Returns the scheme of its endpoints. */
  String scheme();

  /**
   * Reads an endpoint of that scheme.
   *
   * @throws StorageException INVALID
   */
  Target target(URI endpoint) throws StorageException;

  /** Returns what the host lacks, with the remedy; empty when nothing. */
  Optional<String> obstacle();

  /**
   * Returns the name by which the kernel can prove its identity to a target with a secret of this
   * node; empty when it cannot, or the host's own files have secrets for the target.
   *
   * @throws StorageException INVALID, IO when those files cannot be read
   */
  Optional<String> provableName(Target target) throws StorageException;

  /**
   * Begins a session with a target that none is with.
   *
   * @param credential secrets of this node for the target, if it has any
   * @throws StorageException UNREACHABLE, FORBIDDEN, TIMEOUT, IO
   */
  void open(Target target, Optional<InitiatorCredential> credential) throws StorageException;

  /** Returns whether the kernel has a session with a target, also one that it tries to restore. */
  boolean isOpen(Target target) throws StorageException;

  /** Returns the device of a target's unit, empty while there is none, or for ever. */
  Optional<String> device(Target target) throws StorageException;

  /** Ends all sessions with a target, and forgets what was kept of it; nothing to end is fine. */
  void close(Target target) throws StorageException;

  /** Reads the present size of the unit from the target. */
  void rescan(Target target) throws StorageException;
}
