package dev.holdfast.initiator.kernel.internal;

import dev.holdfast.certificates.files.InitiatorCredential;
import dev.holdfast.certificates.files.InitiatorFolder;
import dev.holdfast.error.StorageException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Secrets of the kernel of this node, one for each volume while it is connected. Only the serving
 * node of a volume receives them from this node. A host that is not a node has none. Thread-safe.
 *
 * @param present folder of the secrets, searched at each call, because a node has it only after it
 *     has a key; empty on a host that is not a node
 */
record VolumeCredentials(Supplier<Optional<InitiatorFolder>> present) {

  /** Returns the secrets of the node with a data directory. */
  static VolumeCredentials of(Path data) {
    return new VolumeCredentials(() -> InitiatorFolder.ofNode(data));
  }

  /** Makes the secrets of a new connection. */
  Optional<InitiatorCredential> create(Target target, Optional<String> initiator)
      throws StorageException {
    Optional<InitiatorFolder> folder = present.get();
    Optional<String> volume = target.volume();
    if (folder.isEmpty() || volume.isEmpty() || initiator.isEmpty()) {
      return Optional.empty();
    }
    InitiatorCredential credential = InitiatorCredential.create(initiator.get());
    folder.get().write(volume.get(), credential);
    return Optional.of(credential);
  }

  /** Returns the secrets of a connection, for an additional path. */
  Optional<InitiatorCredential> read(Target target) throws StorageException {
    Optional<InitiatorFolder> folder = present.get();
    Optional<String> volume = target.volume();
    return folder.isEmpty() || volume.isEmpty()
        ? Optional.empty()
        : folder.get().read(volume.get());
  }

  /** Deletes the secrets of an ended connection; succeeds if it has none. */
  void delete(Target target) throws StorageException {
    Optional<InitiatorFolder> folder = present.get();
    Optional<String> volume = target.volume();
    if (folder.isPresent() && volume.isPresent()) {
      folder.get().delete(volume.get());
    }
  }
}
