package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Objects;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The orchestrator's records of the volumes that its workloads use on each node. A store whose
 * orchestrator has such records, such as Kubernetes, implements this type beside {@link
 * ResourceStore}. Thread-safe.
 */
@ConsumerType
public interface WorkloadAttachments {
  /**
   * Attachment of a volume to a node for a workload, present or requested.
   *
   * @param ticket id of the CSI driver's ticket for the attachment, not null
   * @param node name of the node, not null
   */
  record Attached(String ticket, String node) {
    /** Rejects null components. */
    public Attached {
      Objects.requireNonNull(ticket, "ticket");
      Objects.requireNonNull(node, "node");
    }
  }

  /**
   * Returns the attachments of a volume for workloads, without those that are being removed.
   *
   * @param volume name of the volume, not null
   * @return sorted by node, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: call again; FORBIDDEN when the record may not be
   *     read
   */
  List<Attached> of(String volume) throws StorageException;
}
