package dev.holdfast.csi.internal.server;

import dev.holdfast.resource.attachment.WorkloadTickets;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The driver's name, and the conversion of the orchestrator's names to names of resources. */
public final class CsiNames {
  /** Name of the driver in StorageClasses. */
  public static final String DRIVER = WorkloadTickets.DRIVER;

  /** Key of a node in a topology. */
  public static final String NODE_SEGMENT = "topology." + DRIVER + "/node";

  /** Key of a zone in a topology, equal to the label of Kubernetes nodes. */
  static final String ZONE_SEGMENT = "topology.kubernetes.io/zone";

  /** The attacher type of the driver's tickets. */
  public static final String TICKET_TYPE = WorkloadTickets.TYPE;

  private static final int LONGEST = 63;
  private static final int HASH = 12;

  private CsiNames() {}

  /**
   * Returns the name of the resource for a name from the orchestrator: the same name if it is
   * valid, otherwise its valid part with a hash of the complete name. The result is deterministic,
   * which makes calls repeatable.
   */
  public static String resourceName(String wanted) {
    String plain = wanted.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9-]", "-");
    String name = plain.replaceAll("^-+|-+$", "");
    if (name.equals(wanted) && name.length() <= LONGEST) {
      return name;
    }
    String start = name.substring(0, Math.min(name.length(), LONGEST - HASH - 1));
    String hash = sha256(wanted).substring(0, HASH);
    return start.isEmpty() ? "v-" + hash : start.replaceAll("-+$", "") + "-" + hash;
  }

  /** Returns whether a resource can have this name. */
  public static boolean isResourceName(String name) {
    return name.matches("[a-z0-9]([-.a-z0-9]{0,251}[a-z0-9])?");
  }

  /**
   * Returns the id of the ticket for a volume on a node, which is the name of Kubernetes'
   * VolumeAttachment.
   */
  public static String ticketId(String volume, String node) {
    return WorkloadTickets.id(volume, node);
  }

  private static String sha256(String text) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }
}
