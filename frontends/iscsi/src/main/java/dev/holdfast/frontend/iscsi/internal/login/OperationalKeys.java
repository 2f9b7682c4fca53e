package dev.holdfast.frontend.iscsi.internal.login;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Responses to each operational key, and their results (RFC 7143, 13). */
final class OperationalKeys {
  /** Maximum data that an initiator may send in one PDU, in bytes. */
  static final int RECEIVE_AT_MOST = 256 << 10;

  private static final int CONNECTIONS = 4;
  private static final int FIRST_BURST = 256 << 10;
  private static final int MAX_BURST = 1 << 20;
  private static final int LEAST = 512;
  private static final int MOST = 0xffffff;

  /** Keys that an initiator only declares and that have no effect here. */
  private static final Set<String> DECLARED =
      Set.of("InitiatorAlias", "InitiatorName", "TargetName", "SessionType", "TaskReporting");

  /** Keys that apply to a session and are negotiated only on its first connection. */
  private static final Set<String> OF_SESSION =
      Set.of(
          "FirstBurstLength",
          "MaxBurstLength",
          "InitialR2T",
          "ImmediateData",
          "DataPDUInOrder",
          "DataSequenceInOrder",
          "MaxConnections",
          "MaxOutstandingR2T",
          "ErrorRecoveryLevel",
          "DefaultTime2Wait",
          "DefaultTime2Retain",
          "iSCSIProtocolLevel");

  private OperationalKeys() {}

  /** Returns whether a key is not permitted on a session's further connections. */
  static boolean ofSession(String key) {
    return OF_SESSION.contains(key);
  }

  /**
   * Responds to one key and records the negotiated value.
   *
   * @param key that the initiator sent, not null
   * @param value value that the initiator offers, not null
   * @param agreed negotiated parameters, not null
   * @return value of the response, or empty when the key needs none
   * @throws LoginException when the value is out of range
   */
  static Optional<String> answer(String key, String value, Map<String, String> agreed)
      throws LoginException {
    return switch (key) {
      case "HeaderDigest", "DataDigest" -> agree(agreed, key, choose(value));
      case "MaxRecvDataSegmentLength" -> {
        agreed.put(key, String.valueOf(number(key, value, LEAST, MOST)));
        yield Optional.empty();
      }
      case "FirstBurstLength" -> least(agreed, key, number(key, value, LEAST, MOST), FIRST_BURST);
      case "MaxBurstLength" -> least(agreed, key, number(key, value, LEAST, MOST), MAX_BURST);
      case "InitialR2T" -> agree(agreed, key, yesOrNo(key, value) ? "Yes" : "No");
      case "ImmediateData" -> agree(agreed, key, yesOrNo(key, value) ? "Yes" : "No");
      case "DataPDUInOrder", "DataSequenceInOrder" -> {
        boolean unused = yesOrNo(key, value);
        yield Optional.of("Yes");
      }
      case "MaxConnections" -> least(agreed, key, number(key, value, 1, 65_535), CONNECTIONS);
      case "MaxOutstandingR2T" -> {
        int unused = number(key, value, 1, 65_535);
        yield Optional.of("1");
      }
      case "ErrorRecoveryLevel" -> {
        int unused = number(key, value, 0, 2);
        yield Optional.of("0");
      }
      case "DefaultTime2Wait" -> Optional.of(String.valueOf(number(key, value, 0, 3600)));
      case "DefaultTime2Retain" -> {
        int unused = number(key, value, 0, 3600);
        yield Optional.of("0");
      }
      case "IFMarker", "OFMarker" -> Optional.of("No");
      case "iSCSIProtocolLevel" ->
          Optional.of(String.valueOf(Math.min(1, number(key, value, 0, 31))));
      default -> Optional.of("NotUnderstood").filter(answer -> !DECLARED.contains(key));
    };
  }

  private static Optional<String> agree(Map<String, String> agreed, String key, String value) {
    agreed.put(key, value);
    return Optional.of(value);
  }

  private static Optional<String> least(
      Map<String, String> agreed, String key, int offered, int ours) {
    return agree(agreed, key, String.valueOf(Math.min(offered, ours)));
  }

  /** The initiator lists its values in order of preference. */
  private static String choose(String value) {
    for (String digest : List.of(value.split(","))) {
      if (digest.equals("CRC32C") || digest.equals("None")) {
        return digest;
      }
    }
    return "Reject";
  }

  private static boolean yesOrNo(String key, String value) throws LoginException {
    if (!value.equals("Yes") && !value.equals("No")) {
      throw new LoginException(LoginException.INITIATOR_ERROR, key + " is neither Yes nor No");
    }
    return value.equals("Yes");
  }

  private static int number(String key, String value, int least, int most) throws LoginException {
    try {
      int number = Integer.decode(value);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException e) {
      // Handled like a value out of range.
    }
    throw new LoginException(
        LoginException.INITIATOR_ERROR, key + " is not between " + least + " and " + most);
  }
}
