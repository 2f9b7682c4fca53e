package dev.holdfast.resource.attachment;

/** Names of the CSI driver's tickets for workloads. Stateless. */
public final class WorkloadTickets {
  /** Name of the CSI driver in StorageClasses and in Kubernetes' VolumeAttachments. */
  public static final String DRIVER = "csi.holdfast.dev";

  /** The attacher type of the tickets. */
  public static final String TYPE = "csi-attacher";

  /** Parameter with the node of the workload, which may differ from the engine's node. */
  public static final String NODE_PARAMETER = "csiNode";

  private WorkloadTickets() {}

  /**
   * Returns the id of the ticket for a volume on a node, which is also the name of Kubernetes'
   * VolumeAttachment.
   *
   * @param volume name of the volume, not null
   * @param node name of the node, not null
   */
  public static String id(String volume, String node) {
    return "csi-" + TicketDigest.sha256(volume + DRIVER + node);
  }
}
