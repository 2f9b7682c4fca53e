package dev.holdfast.resource.attachment;

/** Names of the tickets that the CSI driver writes for workloads. Stateless. */
public final class WorkloadTickets {
  /** The CSI driver, as StorageClasses and Kubernetes' own VolumeAttachments name it. */
  public static final String DRIVER = "csi.holdfast.dev";

  /** The attacher type of the tickets. */
  public static final String TYPE = "csi-attacher";

  /** The parameter that names the node of the workload, where the engine may be on another one. */
  public static final String NODE_PARAMETER = "csiNode";

  private WorkloadTickets() {}

  /**
   * Returns the id of the ticket of a volume on a node: the name that Kubernetes gives its own
   * VolumeAttachment of them.
   *
   * @param volume name of the volume, not null
   * @param node name of the node, not null
   */
  public static String id(String volume, String node) {
    return "csi-" + TicketDigest.sha256(volume + DRIVER + node);
  }
}
