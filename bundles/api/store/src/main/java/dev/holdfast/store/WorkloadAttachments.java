package dev.holdfast.store;

import dev.holdfast.error.StorageException;
import java.util.List;
import java.util.Objects;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * Offered beside {@link ResourceStore} by a store whose orchestrator keeps a record of its own
 * which volumes its workloads use on which nodes, such as Kubernetes. Thread-safe.
 */
@ConsumerType
public interface WorkloadAttachments {
  /**
   * A volume that is, or is about to be, attached to a node for a workload.
   *
   * @param ticket id of the ticket that the CSI driver has for it, not null
   * @param node name of the node, not null
   */
  record Attached(String ticket, String node) {
    /** Checks that the values are there. */
    public Attached {
      Objects.requireNonNull(ticket, "ticket");
      Objects.requireNonNull(node, "node");
    }
  }

  /**
   * Returns the nodes on which workloads have a volume attached, without those whose attachment is
   * being removed.
   *
   * @param volume name of the volume, not null
   * @return sorted by node, never null
   * @throws StorageException UNREACHABLE, TIMEOUT: ask again; FORBIDDEN when the record may not be
   *     read
   */
  List<Attached> of(String volume) throws StorageException;
}
