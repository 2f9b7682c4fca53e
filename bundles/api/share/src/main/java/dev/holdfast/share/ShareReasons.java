package dev.holdfast.share;

/**
 * Reasons of the condition Ready of a {@link ShareManager}, of {@link
 * ShareManager#GROWTH_CONDITION} and of {@link ShareManager#NODE_CONDITION}.
 */
public final class ShareReasons {
  /** Clients can use the share. */
  public static final String SERVING = "ShareServing";

  /** No workload needs the share. */
  public static final String NOT_REQUIRED = "NotRequired";

  /** A node is to serve, and the volume is not attached there yet. */
  public static final String WAITING_FOR_VOLUME = "WaitingForVolume";

  /** The node starts the server. */
  public static final String STARTING = "ServerStarting";

  /** The node could not start the server; the message has the cause. */
  public static final String START_FAILED = "StartFailed";

  /** The server's process ended. */
  public static final String SERVER_DEAD = "ServerDead";

  /** The server does not answer, or its filesystem does not. */
  public static final String SERVER_HUNG = "ServerHung";

  /** A write to the filesystem failed, or the filesystem is read-only. */
  public static final String WRITE_FAILED = "WriteProbeFailed";

  /** The server's node does not report. */
  public static final String NODE_SILENT = "NodeSilent";

  /** The server's node is cordoned or may not serve any more; the share moves. */
  public static final String MOVING = "Moving";

  /** The volume is faulted. */
  public static final String VOLUME_FAULTED = "FaultedVolume";

  /** The volume left the node while the share ran there. */
  public static final String VOLUME_LOST = "VolumeLost";

  /** No node can serve the share; the message says why. */
  public static final String NO_NODE = "NoNode";

  /** The filesystem could not be grown to the volume; the message has the cause. */
  public static final String GROWTH_FAILED = "GrowthFailed";

  /** The filesystem has the size of the volume again. */
  public static final String GROWN = "Grown";

  /** Reason of a node's condition: the node can serve shares. */
  public static final String NODE_CAN_SERVE = "CanServeShares";

  /** The node lacks packages; the message names them. */
  public static final String PACKAGES_MISSING = "PackagesMissing";

  /** The node has no server for the protocol at present. */
  public static final String SERVER_ABSENT = "ServerNotInstalled";

  /** The server stops. */
  public static final String STOPPING = "Stopping";

  private ShareReasons() {}
}
