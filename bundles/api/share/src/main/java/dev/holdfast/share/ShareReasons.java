package dev.holdfast.share;

/**
 * Reasons in the condition Ready of a {@link ShareManager}, in {@link
 * ShareManager#GROWTH_CONDITION} and in {@link ShareManager#NODE_CONDITION}.
 */
public final class ShareReasons {
  /** Clients can use the share. */
  public static final String SERVING = "ShareServing";

  /** Workloads do not need the share at present. */
  public static final String NOT_REQUIRED = "NotRequired";

  /** A node was selected, and the volume is not yet attached there. */
  public static final String WAITING_FOR_VOLUME = "WaitingForVolume";

  /** The node starts the server. */
  public static final String STARTING = "ServerStarting";

  /** The node could not start the server; the message has the cause. */
  public static final String START_FAILED = "StartFailed";

  /** The server's process ended. */
  public static final String SERVER_DEAD = "ServerDead";

  /** The server or its filesystem does not answer. */
  public static final String SERVER_HUNG = "ServerHung";

  /** A write to the filesystem failed, or the filesystem is read-only. */
  public static final String WRITE_FAILED = "WriteProbeFailed";

  /** The server's node does not report. */
  public static final String NODE_SILENT = "NodeSilent";

  /** The server's node is cordoned or may no longer serve; the share moves. */
  public static final String MOVING = "Moving";

  /** The volume is in the state faulted. */
  public static final String VOLUME_FAULTED = "FaultedVolume";

  /** The volume was detached from the node while the share ran there. */
  public static final String VOLUME_LOST = "VolumeLost";

  /** None of the nodes can serve the share; the message has the cause. */
  public static final String NO_NODE = "NoNode";

  /** The filesystem could not be grown to the volume; the message has the cause. */
  public static final String GROWTH_FAILED = "GrowthFailed";

  /** The filesystem again has the size of the volume. */
  public static final String GROWN = "Grown";

  /** Reason of a node's condition: the node can serve shares. */
  public static final String NODE_CAN_SERVE = "CanServeShares";

  /** The node lacks packages; the message names them. */
  public static final String PACKAGES_MISSING = "PackagesMissing";

  /** A server for the protocol is not installed on the node. */
  public static final String SERVER_ABSENT = "ServerNotInstalled";

  /** The server is stopping. */
  public static final String STOPPING = "Stopping";

  private ShareReasons() {}
}
