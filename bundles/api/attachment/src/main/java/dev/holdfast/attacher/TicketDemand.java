package dev.holdfast.attacher;

import java.util.Map;
import java.util.Objects;

/**
 * A subject's demand that a volume be attached.
 *
 * @param volume name of the volume, not null
 * @param parameters of the ticket, for example disableFrontend
 * @param nodeID the requested node, empty for the node that the controller selects, not null
 */
public record TicketDemand(String volume, Map<String, String> parameters, String nodeID) {
  private static final String DISABLE_FRONTEND = "disableFrontend";

  /** Checks and copies. */
  public TicketDemand {
    Objects.requireNonNull(volume, "volume");
    parameters = Map.copyOf(parameters);
    Objects.requireNonNull(nodeID, "nodeID");
  }

  /**
   * Returns a demand without a specific node.
   *
   * @param volume name of the volume, not null
   * @param parameters of the ticket, not null
   */
  public static TicketDemand of(String volume, Map<String, String> parameters) {
    return new TicketDemand(volume, parameters, "");
  }

  /**
   * Returns a demand that accepts both an active and a disabled frontend, so that a workload on the
   * volume's node can join.
   */
  public static TicketDemand withAnyFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "any"));
  }

  /** Returns a demand that needs the frontend. */
  public static TicketDemand withFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "false"));
  }

  /** Returns a demand that disables the frontend, so that no client can use the volume. */
  public static TicketDemand withoutFrontend(String volume) {
    return TicketDemand.of(volume, Map.of(DISABLE_FRONTEND, "true"));
  }

  /** Returns the same demand for one node. */
  public TicketDemand at(String node) {
    return new TicketDemand(volume, parameters, node);
  }
}
