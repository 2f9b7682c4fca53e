package dev.holdfast.frontend.iscsi.internal.login;

import dev.holdfast.frontend.iscsi.internal.pdu.Digests;
import java.util.Map;

/**
 * Parameters that a session has agreed on (RFC 7143, 13).
 *
 * @param digests digests in both directions, not null
 * @param sendAtMost maximum bytes of data in one PDU to the initiator
 * @param firstBurst maximum bytes of unsolicited data of a command
 * @param maxBurst maximum bytes of one sequence of data
 * @param initialR2t whether data other than immediate data needs an R2T
 * @param immediateData whether data may arrive with the command
 */
public record Parameters(
    Digests digests,
    int sendAtMost,
    int firstBurst,
    int maxBurst,
    boolean initialR2t,
    boolean immediateData) {
  private static final int DEFAULT_SEGMENT = 8192;

  /** Uses the defaults for keys that were not negotiated. */
  public static Parameters of(Map<String, String> agreed) {
    return new Parameters(
        new Digests(
            agreed.getOrDefault("HeaderDigest", "None").equals("CRC32C"),
            agreed.getOrDefault("DataDigest", "None").equals("CRC32C")),
        number(agreed, "MaxRecvDataSegmentLength", DEFAULT_SEGMENT),
        number(agreed, "FirstBurstLength", 65_536),
        number(agreed, "MaxBurstLength", 262_144),
        agreed.getOrDefault("InitialR2T", "Yes").equals("Yes"),
        agreed.getOrDefault("ImmediateData", "Yes").equals("Yes"));
  }

  private static int number(Map<String, String> agreed, String key, int otherwise) {
    return agreed.containsKey(key) ? Integer.parseInt(agreed.get(key)) : otherwise;
  }
}
