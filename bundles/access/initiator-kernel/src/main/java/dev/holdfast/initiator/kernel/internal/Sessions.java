package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.error.StorageException;
import java.net.URI;
import java.util.Optional;

/**
 * A protocol of the kernel's initiators. Each call reads the state from sysfs by the target's name,
 * because names of devices and numbers of sessions can change.
 */
interface Sessions {

  /** Returns the initiator's name. */
  String name();

  /** Returns the scheme of its endpoints. */
  String scheme();

  /**
   * Parses an endpoint of this protocol's scheme.
   *
   * @throws StorageException INVALID
   */
  Target target(URI endpoint) throws StorageException;

  /** Returns the missing prerequisite of the host with the remedy; empty if none is missing. */
  Optional<String> obstacle();

  /**
   * Returns the name by which the kernel can prove its identity to a target with a secret of this
   * node; empty if it cannot, or if the host's own files have secrets for the target.
   *
   * @throws StorageException INVALID, IO when those files cannot be read
   */
  Optional<String> provableName(Target target) throws StorageException;

  /**
   * Opens a session with a target that has none.
   *
   * @param credential secrets of this node for the target, if it has any
   * @throws StorageException UNREACHABLE, FORBIDDEN, TIMEOUT, IO
   */
  void open(Target target, Optional<InitiatorCredential> credential) throws StorageException;

  /**
   * Returns whether the kernel has a session with a target, including one that it tries to restore.
   */
  boolean isOpen(Target target) throws StorageException;

  /** Returns the device of a target's unit, empty if it does not exist yet. */
  Optional<String> device(Target target) throws StorageException;

  /** Ends all sessions with a target and removes their records; succeeds if none exist. */
  void close(Target target) throws StorageException;

  /** Reads the present size of the unit from the target. */
  void rescan(Target target) throws StorageException;
}
