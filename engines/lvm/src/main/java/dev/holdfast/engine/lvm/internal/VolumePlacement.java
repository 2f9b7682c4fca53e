package dev.holdfast.engine.lvm.internal;

import dev.holdfast.engine.lvm.blobs.Blob;
import dev.holdfast.engine.lvm.blobs.SharedBlobManager;
import dev.holdfast.error.ErrorCode;
import dev.holdfast.error.StorageException;
import java.util.Optional;

/** The node on which the pool of an open volume is active, and how it changes. */
final class VolumePlacement {
  private final String volume;
  private final String node;
  private final Blob head;
  private final Optional<SharedBlobManager> shared;
  private final boolean thin;

  VolumePlacement(OpenReplica replica) throws StorageException {
    this.volume = replica.volume();
    this.node = replica.place().location().nodeId();
    this.head = replica.place().head();
    this.shared = replica.context().sharing(node, head.group());
    this.thin = replica.isThin();
  }

  /** A group of one node, and a linear volume, is active on the node that has it open. */
  private Optional<SharedBlobManager> moving() {
    return shared.filter(present -> thin);
  }

  String activeNode() throws StorageException {
    Optional<SharedBlobManager> pools = moving();
    return pools.isPresent() ? pools.get().activeNode(head).orElse("") : node;
  }

  void moveTo(String next) throws StorageException {
    Optional<SharedBlobManager> pools = moving();
    if (pools.isPresent()) {
      pools.get().optimize(head, next);
    } else if (!next.equals(node)) {
      throw new StorageException(
          ErrorCode.UNSUPPORTED,
          "volume "
              + volume
              + " cannot move to node "
              + next
              + ": "
              + (thin
                  ? "volume group " + head.group() + " is used by node " + node + " only"
                  : "a linear volume is active on each node that uses it")
              + ": attach the volume there");
    }
  }
}
